#!/bin/sh
# Run by the image of PostgreSQL when it makes the database, and never again.
set -eu
psql --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
    --set role=swiftlet --set password="$SWIFTLET_PASSWORD" --set database="$POSTGRES_DB" --file /etc/swiftlet/role.sql
