import SwiftletAuth
import Synchronization

/// The digests of a content that comes in several requests, taken as it comes, so that the last request need not read
/// all of it again. They are of what was received, whatever a disk makes of it.
///
/// Bytes count only in their order: if other servers have taken some of them, there are no digests.
final class PartialDigests: Sendable {
    struct Result: Equatable {
        let md5: String
        let sha256: String
    }

    private enum State {
        case running(md5: RunningDigest, sha256: RunningDigest, offset: Int)
        case finished(Result, length: Int)
        case broken
    }

    private let state: Mutex<State>

    init() throws {
        state = Mutex(.running(md5: try RunningDigest(.md5), sha256: try RunningDigest(.sha256), offset: 0))
    }

    func add(_ bytes: [UInt8], at offset: Int) {
        state.withLock { state in
            guard case .running(let md5, let sha256, offset) = state, (try? md5.add(bytes)) != nil,
                (try? sha256.add(bytes)) != nil
            else {
                state = .broken
                return
            }
            state = .running(md5: md5, sha256: sha256, offset: offset + bytes.count)
        }
    }

    /// nil unless all of the content was added.
    func result(of length: Int) -> Result? {
        state.withLock { state in
            switch state {
            case .finished(let result, length): return result
            case .running(let md5, let sha256, length):
                guard let md5 = try? md5.finish(), let sha256 = try? sha256.finish() else { break }
                let result = Result(md5: md5, sha256: sha256)
                state = .finished(result, length: length)
                return result
            default: break
            }
            state = .broken
            return nil
        }
    }

    /// Those of the contents that this server has begun to take.
    final class Shelf: Sendable {
        private struct Contents {
            var digests: [String: PartialDigests] = [:]
            /// The oldest first.
            var order: [String] = []
        }

        private let contents = Mutex(Contents())

        /// A few hundred bytes each.
        private static let most = 1000

        /// New ones for a content of which nothing has come, in place of the oldest where there are too many.
        func begin(_ version: FileVersion) -> PartialDigests? {
            guard let digests = try? PartialDigests() else { return nil }
            contents.withLock { contents in
                if contents.digests.updateValue(digests, forKey: version.text) == nil {
                    contents.order.append(version.text)
                }
                if contents.order.count > Self.most { contents.digests[contents.order.removeFirst()] = nil }
            }
            return digests
        }

        func find(_ version: FileVersion) -> PartialDigests? { contents.withLock { $0.digests[version.text] } }

        func remove(_ version: FileVersion) {
            contents.withLock { contents in
                guard contents.digests.removeValue(forKey: version.text) != nil else { return }
                contents.order.removeAll { $0 == version.text }
            }
        }
    }
}
