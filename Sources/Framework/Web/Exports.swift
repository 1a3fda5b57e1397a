// What the types of this module speak in. Where a module also contains internals (connections, pools, keys), types are
// exported one by one.
@_exported public import struct SwiftletAuth.TenantID
@_exported public import struct SwiftletAuth.User
@_exported public import SwiftletHTTP
@_exported public import SwiftletJSON
@_exported public import struct Logging.Logger
@_exported public import struct SwiftletPostgres.PostgresError
@_exported public import struct SwiftletPostgres.Row
@_exported public import struct SwiftletPostgres.SQL
@_exported public import struct SwiftletPostgres.SQLState
