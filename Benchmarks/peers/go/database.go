package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"strconv"
	"strings"

	"github.com/jackc/pgconn"
	"github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v4/pgxpool"
)

var (
	errNotFound = errors.New("no such row")
	errInvalid  = errors.New("invalid body")
	background  = context.Background()
)

// A pool whose connections have every statement prepared; results come as text and go straight into JSON text.
type database struct {
	pool       *pgxpool.Pool
	parameters map[string][]string // the parameters' names in their order, by statement
}

var statements = []string{"POINT", "PAGE", "COUNT", "INSERT"}

func openDatabase() *database {
	configuration, err := pgxpool.ParseConfig(setting("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	connections, err := strconv.Atoi(setting("DATABASE_CONNECTIONS"))
	if err != nil {
		log.Fatal(err)
	}
	configuration.MaxConns = int32(connections)
	configuration.AfterConnect = func(ctx context.Context, connection *pgx.Conn) error {
		for _, name := range statements {
			if _, err := connection.Prepare(ctx, name, setting("SQL_"+name)); err != nil {
				return err
			}
		}
		return nil
	}
	pool, err := pgxpool.ConnectConfig(background, configuration)
	if err != nil {
		log.Fatal(err)
	}
	parameters := map[string][]string{}
	for _, name := range statements {
		parameters[name] = strings.Split(setting("PARAMETERS_"+name), ",")
	}
	return &database{pool, parameters}
}

type values map[string][]byte

func (database *database) bind(statement string, values values) [][]byte {
	names := database.parameters[statement]
	bound := make([][]byte, len(names))
	for index, name := range names {
		bound[index] = values[name]
	}
	return bound
}

func (database *database) task(tenant string, identifier []byte) ([]byte, error) {
	connection, err := database.pool.Acquire(background)
	if err != nil {
		return nil, err
	}
	defer connection.Release()
	bound := database.bind("POINT", values{"id": identifier, "tenant": []byte(tenant)})
	return firstRow(connection.Conn().PgConn().ExecPrepared(background, "POINT", bound, nil, nil))
}

// Page and count travel together: one batch, one round trip.
func (database *database) tasks(tenant string, limit, page int) ([]byte, error) {
	connection, err := database.pool.Acquire(background)
	if err != nil {
		return nil, err
	}
	defer connection.Release()
	offset := (page - 1) * limit
	given := values{"tenant": []byte(tenant), "limit": decimal(limit), "offset": decimal(offset)}
	batch := &pgconn.Batch{}
	batch.ExecPrepared("PAGE", database.bind("PAGE", given), nil, nil)
	batch.ExecPrepared("COUNT", database.bind("COUNT", given), nil, nil)
	results := connection.Conn().PgConn().ExecBatch(background, batch)
	defer results.Close()

	body := append(make([]byte, 0, 16384), `{"data":[`...)
	rows := 0
	if results.NextResult() {
		for reader := results.ResultReader(); reader.NextRow(); rows++ {
			if rows > 0 {
				body = append(body, ',')
			}
			body = appendRow(body, reader.FieldDescriptions(), reader.Values())
		}
	}
	total := 0
	if results.NextResult() {
		for reader := results.ResultReader(); reader.NextRow(); {
			total, err = strconv.Atoi(string(reader.Values()[0]))
		}
	}
	if err != nil {
		return nil, err
	}
	body = strconv.AppendInt(append(body, `],"total":`...), int64(total), 10)
	body = strconv.AppendInt(append(body, `,"page":`...), int64(page), 10)
	body = strconv.AppendInt(append(body, `,"limit":`...), int64(limit), 10)
	body = strconv.AppendBool(append(body, `,"has_more":`...), offset+rows < total)
	return append(body, '}'), results.Close()
}

func (database *database) insert(caller user, text []byte) ([]byte, error) {
	task := map[string]interface{}{"status": "todo", "priority": "medium"}
	if json.Unmarshal(text, &task) != nil {
		return nil, errInvalid
	}
	if title, _ := task["title"].(string); title == "" {
		return nil, errInvalid
	}
	given := values{}
	for name, value := range task {
		given[name] = parameter(value)
	}
	given["tenant"], given["user"] = []byte(caller.tenant), []byte(caller.id)
	connection, err := database.pool.Acquire(background)
	if err != nil {
		return nil, err
	}
	defer connection.Release()
	return firstRow(connection.Conn().PgConn().ExecPrepared(background, "INSERT", database.bind("INSERT", given), nil, nil))
}

func firstRow(reader *pgconn.ResultReader) ([]byte, error) {
	var body []byte
	if reader.NextRow() {
		body = appendRow(make([]byte, 0, 1024), reader.FieldDescriptions(), reader.Values())
	}
	if _, err := reader.Close(); err != nil {
		return nil, err
	}
	if body == nil {
		return nil, errNotFound
	}
	return body, nil
}

func decimal(number int) []byte {
	return strconv.AppendInt(nil, int64(number), 10)
}

// A JSON value as PostgreSQL's text form; lists become array literals.
func parameter(value interface{}) []byte {
	switch value := value.(type) {
	case nil:
		return nil
	case string:
		return []byte(value)
	case float64:
		return strconv.AppendFloat(nil, value, 'f', -1, 64)
	case bool:
		return strconv.AppendBool(nil, value)
	case []interface{}:
		elements := make([]string, len(value))
		for index, element := range value {
			quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(string(parameter(element)))
			elements[index] = `"` + quoted + `"`
		}
		return []byte("{" + strings.Join(elements, ",") + "}")
	default:
		text, _ := json.Marshal(value)
		return text
	}
}
