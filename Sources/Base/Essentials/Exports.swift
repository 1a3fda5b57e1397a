// On Linux, Foundation is two things: the essentials, and what stands on ICU with its 34 MB of data (locales, time zones,
// `Process`, `FileHandle`). The server is linked with the first alone. On Apple's systems Foundation is a part of the
// system.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
@_exported public import Glibc
#else
@_exported public import Foundation
#endif
