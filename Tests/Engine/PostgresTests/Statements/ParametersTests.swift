import Testing

@testable import SwiftletPostgres

@Suite struct ParametersTests {
    @Test(arguments: [0, 7, -1, 10, .max, .min])
    func `a number is written in decimal`(number: Int) {
        var parameters = Parameters()
        parameters.append(number)
        #expect(parameters.texts == [number.description])
    }

    @Test(arguments: [
        (1.5, "1.5"), (-0.25, "-0.25"), (.infinity, "Infinity"), (-.infinity, "-Infinity"), (.nan, "NaN"),
    ])
    func `a fraction is written as PostgreSQL reads it`(number: Double, text: String) {
        var parameters = Parameters()
        parameters.append(number)
        #expect(parameters.texts == [text])
    }

    @Test func `NULL and the empty text are different`() {
        var parameters = Parameters()
        parameters.appendNull()
        parameters.append("")
        parameters.append(nil as String?)
        #expect(parameters.texts == [nil, "", nil])
        #expect(parameters.count == 3)
    }

    @Test func `a NUL byte in a value sets the fault`() {
        var parameters = Parameters()
        parameters.append("fine")
        #expect(parameters.fault == nil)
        parameters.append("a\0b")
        #expect(parameters.fault?.kind == .invalidParameters)
        #expect(parameters.fault?.state == .characterNotInRepertoire)
    }

    @Test func `more than 65535 values are a fault, not a trap`() {
        var parameters = Parameters()
        for index in 0..<65_535 { parameters.append(index) }
        #expect(parameters.fault == nil)
        parameters.append(true)
        #expect(parameters.fault?.state == .tooManyArguments)
        #expect(parameters.count == 65_535)
    }

    @Test func `lists are joined with their faults`() {
        var first = Parameters()
        first.append("a")
        var second = Parameters()
        second.append("b\0")
        first.append(contentsOf: second)
        #expect(first.count == 2)
        #expect(first.fault?.kind == .invalidParameters)
    }
}
