import SwiftletAuth
import SwiftletBytes
import SwiftletJSON
import SwiftletPostgres

/// Asks PostgreSQL what a user may do in the private room of a topic: the policies of `realtime.messages` decide.
///
/// Rows are made for the question and rolled back.
struct ChannelPolicies: Sendable {
    let database: Database

    /// Reading means to see a row of the topic.
    func read(_ topic: String, as user: User) async -> Result<ChannelRights, PostgresError> {
        let ids = [RealtimeIdentifier.make(), RealtimeIdentifier.make()]
        var rows = Parameters()
        rows.append(topic)
        for id in ids { rows.append(id) }
        var wanted = Parameters()
        for id in ids { wanted.append(id) }
        do throws(PostgresError) {
            let boxes = try await database.runIsolated(
                [
                    StatementCall(Self.makeRows, rows), settings(topic, user), StatementCall(Self.seeRows, wanted),
                ],
                isUndone: true,
                guest: Guest(user.id)
            )
            guard let last = boxes.last else { return .success(.none) }
            let seen = try last.take()
            var extensions: Set<String> = []
            for row in 0..<seen.count {
                let cell = seen.cell(row, 0)
                extensions.insert(unsafe cell.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) })
            }
            return .success(
                ChannelRights(
                    readsBroadcasts: extensions.contains(ChannelExtension.broadcast.rawValue),
                    readsPresence: extensions.contains(ChannelExtension.presence.rawValue),
                    writesBroadcasts: nil,
                    writesPresence: nil
                )
            )
        } catch {
            return error.refusesCaller ? .success(.none) : .failure(error)
        }
    }

    /// Writing means to insert one.
    func mayWrite(_ kind: ChannelExtension, _ topic: String, as user: User) async -> Bool {
        var row = Parameters()
        row.append(topic)
        row.append(kind.rawValue)
        do throws(PostgresError) {
            _ = try await database.runIsolated(
                [settings(topic, user), StatementCall(Self.makeRow, row)],
                isUndone: true,
                guest: Guest(user.id)
            )
            return true
        } catch {
            return false
        }
    }

    private func settings(_ topic: String, _ user: User) -> StatementCall {
        var parameters = Parameters()
        parameters.append(topic)
        parameters.append(utf8: user.payload.span)
        parameters.append(user.id)
        parameters.append(user.role)
        return StatementCall(Self.settings, parameters)
    }

    private static let makeRows = Statement(
        """
        INSERT INTO realtime.messages (id, topic, extension, private) \
        VALUES ($2::uuid, $1, 'broadcast', true), ($3::uuid, $1, 'presence', true)
        """,
        isReadOnly: false
    )

    private static let seeRows = Statement(
        "SELECT extension FROM realtime.messages WHERE id IN ($1::uuid, $2::uuid)",
        isReadOnly: false
    )

    private static let makeRow = Statement(
        "INSERT INTO realtime.messages (topic, extension, private) VALUES ($1, $2, true)",
        isReadOnly: false
    )

    /// The role comes last: it may not set the others.
    private static let settings = Statement(
        """
        SELECT set_config('realtime.topic', $1, true), set_config('request.jwt.claims', $2, true), \
        set_config('request.jwt.claim.sub', $3, true), set_config('request.jwt.claim.role', $4, true), \
        set_config('request.headers', '{}', true), set_config('role', $4, true)
        """,
        isReadOnly: false
    )
}

extension ChannelRights {
    static let none = ChannelRights(
        readsBroadcasts: false,
        readsPresence: false,
        writesBroadcasts: false,
        writesPresence: false
    )
}

extension PostgresError {
    /// The role may not read the table, or is none.
    fileprivate var refusesCaller: Bool { ["42501", "22023", "42704"].contains(state.rawValue) }
}
