import SwiftletJSON

func bytesWritten(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter(minimumCapacity: 0)
    body(&writer)
    return writer.finish()
}

func written(_ body: (inout JSONWriter) -> Void) -> String { String(decoding: bytesWritten(body), as: UTF8.self) }
