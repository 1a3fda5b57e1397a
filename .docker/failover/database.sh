#!/bin/sh
# Run by Patroni once, when it has made the cluster: $1 is the superuser's connection.
set -eu
psql --no-psqlrc --set ON_ERROR_STOP=1 "$1" --command "CREATE DATABASE swiftlet"
psql --no-psqlrc --set ON_ERROR_STOP=1 "$1 dbname=swiftlet" --set role=swiftlet --set password="$SWIFTLET_PASSWORD" \
    --set database=swiftlet --file "$(dirname "$0")/role.sql"
