import SwiftletJSON
import SwiftletSignIn

/// The replacement of the signing key by another, as far as it has gone.
///
/// Between ``Step/prepared`` and ``Step/retired`` servers accept the tokens of both keys, whichever signs on them, so
/// servers that are a step apart never refuse each other's tokens.
struct KeyRotation: Sendable, Equatable {
    enum Step: String, Sendable {
        /// The old key signs, the new one is accepted and published.
        case prepared
        /// The new key signs, the old one is accepted and published.
        case switched
        /// The old key is neither accepted nor published. It is kept, so that this can be undone.
        case retired
    }

    private(set) var step: Step
    /// When the signing key changed last, or the new one was made; in seconds since 1970.
    private(set) var changed: Int
    /// Whether the new key may have signed tokens: then taking it away again has to wait for their end.
    private(set) var isNewUsed: Bool
    /// Private JSON Web Keys.
    let old: JSONValue
    let new: JSONValue

    static func prepare(old: JSONValue, new: JSONValue, now: Int) -> KeyRotation {
        KeyRotation(step: .prepared, changed: now, isNewUsed: false, old: old, new: new)
    }

    private init(step: Step, changed: Int, isNewUsed: Bool, old: JSONValue, new: JSONValue) {
        self.step = step
        self.changed = changed
        self.isNewUsed = isNewUsed
        self.old = old
        self.new = new
    }

    /// The key that signs at this step.
    var signing: JSONValue { step == .prepared ? old : new }

    /// The keys whose tokens are accepted, the one that signs among them. None once the old one is retired: then the key
    /// file says all, also when somebody replaces it later.
    var acceptedKeys: [SigningKey] {
        step == .retired ? [] : [old, new].compactMap { try? SigningKey(jwk: $0) }
    }

    /// The new key signs from now on. Without effect where it does already.
    mutating func switchKeys(now: Int) throws(CommandFailure) {
        switch step {
        case .switched: return
        case .retired: throw CommandFailure("the old key is retired already: begin again with: swiftlet keys rotate")
        case .prepared:
            step = .switched
            changed = now
            isNewUsed = true
        }
    }

    /// Refuses the old key's tokens. `lifetime`, in seconds, is how long the last of them may last; nil does not wait.
    mutating func retire(now: Int, lifetime: Int?) throws(CommandFailure) {
        switch step {
        case .retired: return
        case .prepared: throw CommandFailure("the old key still signs: swiftlet keys rotate --switch comes first")
        case .switched:
            try wait(now, lifetime, "its tokens")
            step = .retired
        }
    }

    /// Takes the last step back. Returns false where there is nothing left to do but to forget the new key.
    mutating func undo(now: Int, lifetime: Int?) throws(CommandFailure) -> Bool {
        switch step {
        case .prepared:
            if isNewUsed { try wait(now, lifetime, "the new key's tokens") }
            return false
        case .switched:
            step = .prepared
            changed = now
        case .retired: step = .switched
        }
        return true
    }

    private func wait(_ now: Int, _ lifetime: Int?, _ whose: String) throws(CommandFailure) {
        guard let lifetime, now - changed < lifetime else { return }
        throw CommandFailure(
            "\(whose) may last another \(lifetime - (now - changed)) seconds (JWT_EXPIRY), and would be refused; "
                + "--now does it all the same"
        )
    }
}

extension KeyRotation {
    /// What the file holds.
    var json: JSONValue {
        [
            "step": .string(step.rawValue), "changed": .number(JSONNumber(changed)), "new_used": .bool(isNewUsed),
            "old": old, "new": new,
        ]
    }

    /// nil for anything else, and where a key cannot sign.
    init?(_ json: JSONValue) {
        guard let step = json["step"]?.string.flatMap(Step.init(rawValue:)), let changed = json["changed"]?.int,
            let isNewUsed = json["new_used"]?.bool, let old = json["old"], let new = json["new"],
            (try? SigningKey(jwk: old)) != nil, (try? SigningKey(jwk: new)) != nil
        else { return nil }
        self.init(step: step, changed: changed, isNewUsed: isNewUsed, old: old, new: new)
    }
}
