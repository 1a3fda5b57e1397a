internal import Foundation

/// A moment as GoTrue writes it: UTC with a fraction.
enum UTCStamp {
    static func text(_ milliseconds: Int) -> String {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        return date.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true)) + "Z"
    }
}
