-- A library: shelves of books, their authors, genres and loans; views, keys to itself, and two keys between the same two.

CREATE SCHEMA store;
CREATE TABLE shelves (id int PRIMARY KEY, name text);
CREATE TABLE authors (id int PRIMARY KEY, name text, teacher int REFERENCES authors);
CREATE TABLE genres (id int PRIMARY KEY, name text);
CREATE TABLE books (id int PRIMARY KEY, title text, pages int, author_id int CONSTRAINT writer REFERENCES authors,
    editor_id int CONSTRAINT editor REFERENCES authors, shelf_id int REFERENCES shelves);
CREATE TABLE prices (book_id int PRIMARY KEY REFERENCES books, amount numeric(6, 2));
CREATE TABLE book_genres (book_id int REFERENCES books, genre_id int REFERENCES genres, PRIMARY KEY (book_id, genre_id));
CREATE TABLE loans (id int PRIMARY KEY, days int, book_id int REFERENCES books);
CREATE VIEW shelf_names AS SELECT id, name FROM shelves;
CREATE VIEW book_keys AS SELECT id, shelf_id, shelf_id AS place FROM books;
CREATE VIEW short_books AS SELECT book_id, genre_id FROM book_genres WHERE book_id = 2;
CREATE FUNCTION first_genre(books) RETURNS SETOF genres ROWS 1 LANGUAGE sql STABLE
    AS 'SELECT g.* FROM genres g JOIN book_genres b ON b.genre_id = g.id WHERE b.book_id = $1.id ORDER BY g.id LIMIT 1';
CREATE FUNCTION all_books() RETURNS SETOF books LANGUAGE sql STABLE AS 'SELECT * FROM books ORDER BY id';
-- Joins two that are exposed from where nobody looks.
CREATE TABLE store.author_genres (author_id int REFERENCES authors, genre_id int REFERENCES genres,
    PRIMARY KEY (author_id, genre_id));
-- A column named like another relation that it does not refer to.
CREATE TABLE gifts (id int PRIMARY KEY, shelves int REFERENCES genres, place int REFERENCES shelves);
-- Four ways from one to the other.
CREATE TABLE towns (id int PRIMARY KEY);
CREATE TABLE ferries (id int PRIMARY KEY);
CREATE TABLE crossings (departure int CONSTRAINT departure REFERENCES towns, arrival int CONSTRAINT arrival REFERENCES towns,
    outward int CONSTRAINT outward REFERENCES ferries, homeward int CONSTRAINT homeward REFERENCES ferries,
    PRIMARY KEY (departure, arrival, outward, homeward));
GRANT ALL ON ALL TABLES IN SCHEMA public, store TO service_role;
INSERT INTO shelves VALUES (1, 'A'), (2, 'B'), (3, 'C');
INSERT INTO authors VALUES (1, 'Ann', NULL), (2, 'Ben', 1), (3, 'Cy', 1);
INSERT INTO genres VALUES (1, 'crime'), (2, 'poems');
INSERT INTO books VALUES (1, 'Ash', 100, 1, 2, 1), (2, 'Birch', 200, 1, NULL, 1), (3, 'Cedar', 300, 2, 3, 2),
    (4, 'Drift', 50, NULL, NULL, NULL);
INSERT INTO prices VALUES (1, 9.50), (2, 20), (3, 5);
INSERT INTO book_genres VALUES (1, 1), (1, 2), (2, 2), (3, 1);
INSERT INTO loans VALUES (1, 7, 1), (2, 14, 1), (3, 21, 3);
INSERT INTO gifts VALUES (1, 2, 3);
INSERT INTO towns VALUES (1); INSERT INTO ferries VALUES (1), (2); INSERT INTO crossings VALUES (1, 1, 1, 2);
