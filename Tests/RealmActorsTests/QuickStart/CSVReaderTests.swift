import Flights
import Foundation
import Testing

/// The reader of comma-separated values: what it accepts, and how it reports what is wrong.
@Suite struct CSVReaderTests {
    private struct Row: Equatable {
        var line: Int
        var name: String
        var number: Int?
    }

    private func rows(_ text: String) throws -> [Row] {
        var reader = try CSVFile(name: "t.csv", bytes: Array(text.utf8)).reader()
        let name = try reader.column("name")
        let number = try reader.column("number")
        var rows: [Row] = []
        while try reader.next() {
            rows.append(
                Row(
                    line: reader.line, name: try reader.text(name),
                    number: try reader.optionalInteger(number)))
        }
        return rows
    }

    @Test func plainRowsAndMissingValues() throws {
        #expect(
            try rows("name,number\na,1\nb,NA\n,\nlast,-7") == [
                Row(line: 2, name: "a", number: 1), Row(line: 3, name: "b", number: nil),
                Row(line: 4, name: "", number: nil), Row(line: 5, name: "last", number: -7),
            ])
    }

    @Test func quotedFieldsHoldCommasQuotesAndLineEnds() throws {
        #expect(
            try rows("number,name\r\n3,\"x, \"\"y\"\"\nz\"\r\n\r\n\"4\",q\r\n") == [
                Row(line: 2, name: "x, \"y\"\nz", number: 3), Row(line: 5, name: "q", number: 4),
            ])
    }

    @Test(arguments: [
        ("", "t.csv:1: the file is empty; a header was expected"),
        ("name,size\n", "t.csv:1: the header has no column \"number\""),
        ("name,number\na\n", "t.csv:2: expected 2 fields, found 1"),
        ("name,number\na,1,2\n", "t.csv:2: expected 2 fields, found 3"),
        (
            "name,number\na,1\nb,12x\n",
            "t.csv:3: column number: expected a whole number, found \"12x\""
        ),
        ("name,number\na,-\n", "t.csv:2: column number: expected a whole number, found \"-\""),
        (
            "name,number\na,99999999999999999999\n",
            "t.csv:2: column number: expected a whole number, found \"99999999999999999999\""
        ),
        ("name,number\n\"a,1\n", "t.csv:2: a quoted field is never closed"),
        ("name,number\n\"a\"b,1\n", "t.csv:2: text follows the closing quote of a field"),
    ])
    func mistakesAreReportedWithTheirLine(_ text: String, _ report: String) throws {
        let error = #expect(throws: CSVError.self) { try rows(text) }
        #expect(error?.description == report)
    }

    @Test func bytesThatAreNotTextAreReported() throws {
        let bytes = Array("name\n".utf8) + [0xFF, 0xFE, 0x0A]
        var reader = try CSVFile(name: "t.csv", bytes: bytes).reader()
        let name = try reader.column("name")
        #expect(try reader.next())
        #expect(
            throws: CSVError(file: "t.csv", line: 2, reason: "column name: the text is not UTF-8")
        ) {
            try reader.text(name)
        }
    }

    @Test func momentsAndDoubles() throws {
        let text = "at,value\n2013-03-01T05:04:03Z,10.357019999999999\n1970-01-01T00:00:00Z,NA\n"
        var reader = try CSVFile(name: "t.csv", bytes: Array(text.utf8)).reader()
        let moment = try reader.column("at")
        let value = try reader.column("value")
        #expect(try reader.next())
        #expect(try reader.moment(moment) == Date(timeIntervalSince1970: 1_362_114_243))
        #expect(try reader.double(value) == 10.357019999999999)
        #expect(try reader.next())
        #expect(try reader.moment(moment) == Date(timeIntervalSince1970: 0))
        #expect(try reader.optionalDouble(value) == nil)
        #expect(throws: CSVError.self) { try reader.double(value) }
    }
}
