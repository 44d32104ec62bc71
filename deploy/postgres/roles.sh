#!/bin/sh
# Run once by the Postgres image, on an empty volume: for the bot and for the data service a role and a database each, as the
# URLs in their secrets name them (postgres://ROLE:PASSWORD@postgres/DATABASE; a password of letters and digits).
set -eu
for secret in database_url archive_url; do
  url=$(cat "/run/secrets/$secret")
  rest=${url#*://}
  role=${rest%%:*}
  rest=${rest#*:}
  password=${rest%%@*}
  database=${url##*/}
  psql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" -v role="$role" -v password="$password" -v database="${database%%\?*}" <<'SQL'
CREATE ROLE :"role" LOGIN PASSWORD :'password';
CREATE DATABASE :"database" OWNER :"role";
REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
SQL
done
