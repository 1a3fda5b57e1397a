import SwiftletCCurl

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

// libcurl passes back the exchange, which its loop keeps alive while the handle is among the transfers.

private func exchange(_ context: UnsafeMutableRawPointer) -> Exchange {
    unsafe Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
}

/// `CURL_WRITEFUNC_PAUSE`, a macro that Swift does not import.
private let pause = 0x1000_0001

let exchangeReceivesBody: @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
    bytes,
    size,
    count,
    context in
    guard let context = unsafe context else { return 0 }
    let length = size * count
    switch unsafe exchange(context).receive(body: UnsafeRawBufferPointer(start: bytes, count: length)) {
    case .taken: return length
    case .later: return pause
    // Any other number than the length is an error, and so would be 0 for nothing.
    case .refused: return length == 0 ? 1 : 0
    }
}

let exchangeReceivesHeader: @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
    bytes,
    size,
    count,
    context in
    guard let context = unsafe context else { return 0 }
    let length = size * count
    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: length)
    return unsafe exchange(context).receive(headerLine: line) ? length : 0
}

/// Checks the address that is really connected to, whatever a name led to before.
let exchangeOpensSocket:
    @convention(c) (UnsafeMutableRawPointer?, curlsocktype, UnsafeMutablePointer<curl_sockaddr>?) -> curl_socket_t = {
        context,
        _,
        target in
        guard let context = unsafe context, let target = unsafe target, let address = unsafe ccurl_address(target),
            unsafe exchange(context).admits(NetworkAddress(address))
        else { return -1 }
        let kind = unsafe target.pointee.socktype
        #if os(Linux)
        return unsafe socket(target.pointee.family, kind | CInt(SOCK_CLOEXEC.rawValue), target.pointee.protocol)
        #else
        return unsafe socket(target.pointee.family, kind, target.pointee.protocol)
        #endif
    }

/// The same for a connection that was opened for another request.
let exchangeBegins:
    @convention(c) (
        UnsafeMutableRawPointer?, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?, CInt, CInt
    ) -> CInt = { context, address, _, _, _ in
        guard let context = unsafe context, let address = unsafe address else { return 1 }
        return unsafe exchange(context).admits(NetworkAddress(String(cString: address))) ? 0 : 1
    }
