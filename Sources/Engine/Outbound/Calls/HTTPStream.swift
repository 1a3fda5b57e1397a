import SwiftletEventLoop

/// A response whose body is read while it arrives. A server that sends faster than it is read has to wait.
public struct HTTPStream: Sendable, AsyncSequence {
    /// Its body is empty.
    public let head: HTTPResponse
    private let source: Source

    init(head: HTTPResponse, source: Source) {
        self.head = head
        self.source = source
    }

    /// Ends the exchange, whether or not it has been read to its end.
    package func close() { source.end() }

    public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    public struct Iterator: AsyncIteratorProtocol {
        let source: Source

        /// The next bytes, never none; nil at the end. Throws ``HTTPFailure``.
        public mutating func next() async throws(HTTPFailure) -> [UInt8]? { try await source.next() }

        /// The same, whoever asks.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(HTTPFailure) -> [UInt8]? { try await source.next() }
    }

    /// Ends the exchange when nobody can read it any more.
    final class Source: Sendable {
        private let transfer: LoopBound<LoopTransfers>
        private let exchange: LoopBound<Exchange>

        init(_ transfer: LoopBound<LoopTransfers>, _ exchange: LoopBound<Exchange>) {
            self.transfer = transfer
            self.exchange = exchange
        }

        deinit { end() }

        func end() {
            let (transfer, exchange) = (transfer, exchange)
            transfer.loop.execute { transfer.value.giveUp(exchange.value, .cancelled) }
        }

        func next() async throws(HTTPFailure) -> [UInt8]? {
            let exchange = exchange
            return try await transfer.loop.onLoop { () async throws(HTTPFailure) in
                let chunk = await withTaskCancellationHandler {
                    await exchange.value.nextChunk()
                } onCancel: {
                    self.end()
                }
                return try chunk.get()
            }
        }
    }
}
