// A function file writes `import Swiftlet` and nothing else. Names are re-exported one by one where a module also holds
// plumbing, so that no function ever sees a connection, a pool or a key.
@_exported public import struct Auth.TenantID
@_exported public import struct Auth.User
@_exported public import HTTP
@_exported public import JSON
@_exported public import struct Postgres.PostgresError
@_exported public import struct Postgres.Row
@_exported public import struct Postgres.SQL
@_exported public import struct Postgres.SQLState
