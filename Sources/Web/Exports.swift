// What the types of this module speak in. Where a module also contains internals (connections, pools, keys), types are
// exported one by one.
@_exported public import struct Auth.TenantID
@_exported public import struct Auth.User
@_exported public import HTTP
@_exported public import JSON
@_exported public import struct Logging.Logger
@_exported public import struct Postgres.PostgresError
@_exported public import struct Postgres.Row
@_exported public import struct Postgres.SQL
@_exported public import struct Postgres.SQLState
