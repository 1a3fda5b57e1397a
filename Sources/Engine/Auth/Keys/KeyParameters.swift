import SwiftletCOpenSSL

/// The parameters of a key from which an `EVP_PKEY` is made (EVP_PKEY_fromdata(3)).
struct KeyParameters {
    private var bytes: [UInt8] = []
    private var entries: [Entry] = []

    private struct Entry {
        enum Form { case number, octets, text }
        let name: StaticString
        let form: Form
        let range: Range<Int>

        /// Points into the buffer, so it must not outlive it.
        func parameter(in buffer: UnsafeMutableRawBufferPointer) -> OSSL_PARAM {
            let name = unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
            let value = unsafe buffer.baseAddress?.advanced(by: range.lowerBound)
            switch form {
            case .number:
                return unsafe OSSL_PARAM_construct_BN(name, value?.assumingMemoryBound(to: UInt8.self), range.count)
            case .octets:
                return unsafe OSSL_PARAM_construct_octet_string(name, value, range.count)
            case .text:
                return unsafe OSSL_PARAM_construct_utf8_string(
                    name,
                    value?.assumingMemoryBound(to: CChar.self),
                    range.count
                )
            }
        }
    }

    /// A whole number in big-endian bytes.
    mutating func append(number: [UInt8], _ name: StaticString) {
        // OSSL_PARAM integers are in the machine's byte order (OSSL_PARAM(3)).
        let isLittleEndian = 1.littleEndian == 1
        append(isLittleEndian ? number.reversed() : number, name, .number)
    }

    mutating func append(octets: [UInt8], _ name: StaticString) {
        append(octets, name, .octets)
    }

    mutating func append(text: String, _ name: StaticString) {
        append(Array(text.utf8), name, .text)
        // OpenSSL reads some texts up to a NUL, although it knows their size.
        bytes.append(0)
    }

    private mutating func append(_ value: [UInt8], _ name: StaticString, _ form: Entry.Form) {
        entries.append(Entry(name: name, form: form, range: bytes.count..<bytes.count + value.count))
        bytes.append(contentsOf: value)
    }

    /// Makes the key. OpenSSL checks it on import, for instance that a point is on its curve.
    mutating func makeKey(type: String, isPrivate: Bool) throws(KeyError) -> ImmutableHandle {
        defer { ERR_clear_error() }
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, type, nil) else { throw .unavailable }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe EVP_PKEY_fromdata_init(context) == 1 else { throw .unavailable }
        let selection =
            OSSL_KEYMGMT_SELECT_ALL_PARAMETERS | OSSL_KEYMGMT_SELECT_PUBLIC_KEY
            | (isPrivate ? OSSL_KEYMGMT_SELECT_PRIVATE_KEY : 0)
        let entries = entries
        var key: OpaquePointer?
        unsafe bytes.withUnsafeMutableBytes { buffer in
            var parameters = unsafe entries.map { unsafe $0.parameter(in: buffer) }
            unsafe parameters.append(OSSL_PARAM_construct_end())
            _ = unsafe EVP_PKEY_fromdata(context, &key, selection, &parameters)
        }
        guard let key = unsafe key else { throw .invalid }
        return unsafe ImmutableHandle(adopting: key) { unsafe EVP_PKEY_free($0) }
    }
}
