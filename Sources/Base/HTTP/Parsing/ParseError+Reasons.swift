// Every error of the parser, with the status and the text of its response.
extension ParseError {
    static var bareLineFeed: ParseError { ParseError(400, "A line must end in CR LF.") }
    static var bareCarriageReturn: ParseError { ParseError(400, "A line contains a bare carriage return.") }
    static var controlByte: ParseError { ParseError(400, "The message contains a control byte.") }

    static var malformedRequestLine: ParseError { ParseError(400, "The request line is malformed.") }
    static var malformedTarget: ParseError { ParseError(400, "The request target is malformed.") }
    static var malformedEscape: ParseError { ParseError(400, "The request target has a malformed percent-encoding.") }
    static var unsupportedVersion: ParseError { ParseError(505, "Only HTTP/1.0 and HTTP/1.1 are supported.") }
    static var methodTooLong: ParseError { ParseError(501, "The method is not supported.") }
    static var connectNotImplemented: ParseError { ParseError(501, "CONNECT is not supported.") }
    static var requestLineTooLong: ParseError { ParseError(414, "The request line is too long.") }

    static var foldedField: ParseError { ParseError(400, "A header field is folded over lines.") }
    static var malformedField: ParseError { ParseError(400, "A header field is malformed.") }
    static var headTooLarge: ParseError { ParseError(431, "The header fields are too large.") }
    static var tooManyFields: ParseError { ParseError(431, "There are too many header fields.") }

    static var missingHost: ParseError { ParseError(400, "The Host field is missing.") }
    static var repeatedHost: ParseError { ParseError(400, "The Host field is repeated.") }
    static var malformedHost: ParseError { ParseError(400, "The Host field is malformed.") }
    static var repeatedCredentials: ParseError { ParseError(400, "The Authorization field is repeated.") }

    static var malformedLength: ParseError { ParseError(400, "Content-Length is not one decimal number.") }
    static var repeatedLength: ParseError { ParseError(400, "Content-Length is repeated.") }
    static var conflictingLength: ParseError {
        ParseError(400, "Content-Length and Transfer-Encoding exclude each other.")
    }
    static var malformedCoding: ParseError { ParseError(400, "Transfer-Encoding is malformed.") }
    static var repeatedCoding: ParseError { ParseError(400, "Transfer-Encoding is repeated.") }
    static var chunkedIsNotLast: ParseError { ParseError(400, "The last transfer coding must be chunked.") }
    static var codingInOldVersion: ParseError { ParseError(400, "HTTP/1.0 has no Transfer-Encoding.") }
    static var unknownCoding: ParseError { ParseError(501, "Only the chunked transfer coding is supported.") }
    static var unknownExpectation: ParseError { ParseError(417, "Only the expectation 100-continue is supported.") }

    static var bodyTooLarge: ParseError { ParseError(413, "The content is too large.") }
    static var malformedChunk: ParseError { ParseError(400, "A chunk is malformed.") }
    static var chunkExtensionTooLarge: ParseError { ParseError(400, "The chunk extensions are too large.") }
    static var malformedTrailer: ParseError { ParseError(400, "A trailer field is malformed.") }
    static var trailerTooLarge: ParseError { ParseError(431, "The trailer fields are too large.") }
}
