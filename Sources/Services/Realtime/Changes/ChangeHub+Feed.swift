package import SwiftletAuth
import SwiftletEventLoop
import SwiftletPostgres

extension ChangeHub: ChangeFeed {
    package func subscribe(
        to entries: [ChangeEntry],
        as user: User,
        after position: String?,
        push: @escaping (_ ids: [Int], _ data: [UInt8]) -> Void,
        reset: @escaping () -> Void
    ) async throws(ChangeFeedError) -> any ChangeSubscription {
        guard let loop = EventLoop.current else { throw ChangeFeedError("Row changes are told on event loops only") }
        var start: ChangePosition?
        if let position {
            start = ChangePosition(position)
            guard start != nil else { throw .invalidCursor }
        }
        let told = LoopBound((push: push, reset: reset), on: loop)
        do {
            let requests = entries.map { ChangeRequest($0) }
            let subscriber = try await subscribe(to: requests, as: ChangeCaller(user), after: start) { delivery in
                loop.execute {
                    switch delivery {
                    case .change(_, _, let ids, let data): told.value.push(ids, data)
                    case .reset: told.value.reset()
                    }
                }
                return true
            }
            return HubSubscription(self, subscriber, start: subscriber.start)
        } catch let error as ChangeRequestError {
            throw ChangeFeedError(error.message)
        } catch ChangeCursorError.invalid {
            throw .invalidCursor
        } catch ChangeCursorError.expired {
            throw ChangeFeedError("CursorExpired: Changes are not kept so long, read the rows anew", refusesJoin: true)
        } catch ChangeCursorError.unread {
            throw ChangeFeedError(
                "ChangesUnavailable: Changes of rows are not read yet, join again later",
                refusesJoin: true
            )
        } catch ChangeCursorError.unavailable {
            throw ChangeFeedError("No changes of rows are read here: run swiftlet realtime status")
        } catch let error as PostgresError
            where error.kind == .server && !["53", "57"].contains(error.state.errorClass)
        {
            throw ChangeFeedError("The database cannot be asked")
        } catch {
            // A client that is let in without its changes would not come again for them.
            throw ChangeFeedError(
                "DatabaseUnavailable: The database cannot be asked, join again later",
                refusesJoin: true,
                isTemporary: true
            )
        }
    }
}

extension ChangeFeedError {
    fileprivate static let invalidCursor = ChangeFeedError(
        "InvalidCursor: The position is none of this server's",
        refusesJoin: true
    )
}

extension ChangeRequest {
    fileprivate init(_ entry: ChangeEntry) {
        self.init(
            id: entry.id,
            event: entry.event,
            schema: entry.schema,
            table: entry.table,
            filter: entry.filter,
            select: entry.select
        )
    }
}

/// One channel's subscription.
private final class HubSubscription: ChangeSubscription {
    private let hub: ChangeHub
    private let subscriber: ChangeSubscriber
    let start: String

    init(_ hub: ChangeHub, _ subscriber: ChangeSubscriber, start: ChangePosition) {
        self.start = start.description
        self.hub = hub
        self.subscriber = subscriber
    }

    deinit { close() }

    func renew(as user: User) { subscriber.renew(ChangeCaller(user)) }

    func close() { hub.remove(subscriber) }
}
