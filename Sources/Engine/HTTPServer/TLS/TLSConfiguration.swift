/// Where the server's certificate and its key are; both in PEM form.
package struct TLSConfiguration: Sendable {
    /// The server's certificate, followed by its intermediate certificates.
    package var certificateFile: String
    /// Not protected by a passphrase: nobody is there to type it.
    package var keyFile: String

    package init(certificateFile: String, keyFile: String) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }

    /// Reads both files and checks that they belong together, as the server does at its start. Returns how long the
    /// certificate is still valid; negative once it has expired.
    package func check() throws(TLSError) -> Duration { try TLSContext.load(self).validity }
}
