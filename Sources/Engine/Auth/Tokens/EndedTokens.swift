import Synchronization

/// The sessions and accounts that have ended while their access tokens live on.
///
/// Most servers have none most of the time: then a request takes no lock.
final class EndedTokens: Sendable {
    private let owners = Mutex<Set<TokenOwner>>([])
    private let hasOwners = Atomic<Bool>(false)
    private let observers = Mutex<[@Sendable () -> Void]>([])

    func replace(with ended: Set<TokenOwner>) {
        owners.withLock { owners in
            owners = ended
            hasOwners.store(!ended.isEmpty, ordering: .releasing)
        }
        for observer in observers.withLock(\.self) { observer() }
    }

    func observe(_ observer: @escaping @Sendable () -> Void) { observers.withLock { $0.append(observer) } }

    /// Whether the token is one of theirs. Those of other issuers never are.
    func contain(_ user: User) -> Bool {
        guard hasOwners.load(ordering: .acquiring), !user.isExternal else { return false }
        let places = user.claimPlaces.members
        return contain(user.payload, places[.session]) || contain(user.payload, places[.subject])
    }

    private func contain(_ payload: [UInt8], _ place: ClaimRange) -> Bool {
        guard let range = payload.span.jsonText(at: place),
            let owner = TokenOwner(payload.span.extracting(range))
        else { return false }
        return owners.withLock { $0.contains(owner) }
    }
}
