/// Where the server's certificate and its key are; both in PEM form.
package struct TLSConfiguration: Sendable {
    /// The server's certificate, followed by the ones that lead to the root.
    package var certificateFile: String
    /// Not protected by a passphrase: nobody is there to type it.
    package var keyFile: String

    package init(certificateFile: String, keyFile: String) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }

    /// Reads both files and tries them on each other, as the server does when it starts.
    package func check() throws(TLSError) { _ = try TLSContext.load(self) }
}
