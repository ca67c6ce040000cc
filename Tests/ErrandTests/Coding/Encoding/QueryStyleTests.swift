internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Queries: styles", .timeLimit(.minutes(60)), .paced)
struct QueryStyleTests {
    private static let moment = Parameters.Value.date(Date(timeIntervalSince1970: 1_769_851_800.25))

    @Test(arguments: [
        QueryCase(ParameterEncoding.QueryStyle(arrays: .repeated), ["a": [1, [2, 3]]], "a=1&a=2&a=3"),
        QueryCase(ParameterEncoding.QueryStyle(arrays: .repeated), ["a": [["b": 1]]], "a%5Bb%5D=1"),
        QueryCase(
            ParameterEncoding.QueryStyle(arrays: .indices), ["a": [1, ["b": 2]]], "a%5B0%5D=1&a%5B1%5D%5Bb%5D=2"),
        QueryCase(
            ParameterEncoding.QueryStyle(arrays: .commas), ["a": [1, "x,y z", nil, true], "b": []], "a=1,x%2Cy%20z,,1"),
        QueryCase(ParameterEncoding.QueryStyle(booleans: .words), ["a": [true, false]], "a%5B%5D=true&a%5B%5D=false"),
        QueryCase(
            ParameterEncoding.QueryStyle(order: .given), ["b": 1, "a": ["d": 1, "c": 2]], "b=1&a%5Bd%5D=1&a%5Bc%5D=2"),
        QueryCase(ParameterEncoding.QueryStyle(spaces: .plus), ["a b": "c d+e"], "a+b=c+d%2Be"),
        QueryCase(ParameterEncoding.QueryStyle(), ["at": moment], "at=2026-01-31T09%3A30%3A00Z"),
        QueryCase(ParameterEncoding.QueryStyle(dates: .secondsSince1970), ["at": moment], "at=1769851800.25"),
        QueryCase(ParameterEncoding.QueryStyle(dates: .millisecondsSince1970), ["at": moment], "at=1769851800250"),
        QueryCase(ParameterEncoding.QueryStyle(dates: .custom { _ in "now" }), ["at": moment], "at=now"),
        QueryCase(
            ParameterEncoding.QueryStyle(
                nonFiniteNumbers: .texts(positiveInfinity: "+inf", negativeInfinity: "-inf", nan: "nan")),
            ["a": [.double(.infinity), .double(-.infinity), .double(.nan), .double(1.5)]],
            "a%5B%5D=%2Binf&a%5B%5D=-inf&a%5B%5D=nan&a%5B%5D=1.5"),
        QueryCase(ParameterEncoding.QueryStyle(), ["": nil, "a": 1], "&a=1"),
        QueryCase(ParameterEncoding.QueryStyle(), ["": "v"], "=v"),
        QueryCase(
            ParameterEncoding.QueryStyle(), ["n": .unsigned(.max), "m": .int(.min)],
            "m=-9223372036854775808&n=18446744073709551615"),
    ])
    func `parameters are spelt so`(row: QueryCase) throws {
        #expect(try row.parameters.query(row.style) == row.query)
    }

    @Test func `a set is sorted, whatever it holds`() throws {
        let set: Set<Parameters.Value> = ["b", "a", 3, nil, ["y", "x"], ["k": 1], .set([2, 1]), true, 0.5]
        let query = try Parameters([("s", .set(set))]).query()
        #expect(query == "s&s=0.5&s=1&s=3&s=a&s=b&s=1&s=2&s%5B%5D=y&s%5B%5D=x&s%5Bk%5D=1")
        // A set of another capacity has its elements in another order.
        var other = Set<Parameters.Value>(minimumCapacity: 1000)
        for value in set { other.insert(value) }
        #expect(try Parameters([("s", .set(other))]).query() == query)
    }

    @Test(arguments: [
        QueryCase(ParameterEncoding.QueryStyle(), ["x": ["y": [.double(.infinity)]]], "\"x[y][]\" is inf"),
        QueryCase(ParameterEncoding.QueryStyle(), ["x y": .double(.nan)], "\"x y\" is nan"),
        QueryCase(ParameterEncoding.QueryStyle(arrays: .commas), ["x": [["y": 1]]], "\"x\" contains a container"),
        QueryCase(ParameterEncoding.QueryStyle(arrays: .commas), ["x": [.double(-.infinity)]], "\"x\" is -inf"),
        QueryCase(
            ParameterEncoding.QueryStyle(), ["at": .date(.distantFuture.addingTimeInterval(1e12))], "\"at\" has no text"
        ),
        QueryCase(
            ParameterEncoding.QueryStyle(dates: .secondsSince1970), ["nan": .date(Date(timeIntervalSince1970: .nan))],
            "\"nan\" has no text"),
        QueryCase(
            ParameterEncoding.QueryStyle(dates: .millisecondsSince1970),
            ["inf": .date(Date(timeIntervalSince1970: .infinity))],
            "\"inf\" has no text"),
        QueryCase(
            ParameterEncoding.QueryStyle(dates: .custom { _ in throw CocoaError(.coderInvalidValue) }), ["own": moment],
            "\"own\" has no text"),
    ])
    func `a value without a text is an error that names it`(row: QueryCase) {
        let error = #expect(throws: ErrandError.self) { try row.parameters.query(row.style) }
        #expect(error?.code == .encodingFailed)
        #expect(error?.message.contains(row.query) == true, "\(error?.message ?? "")")
    }

    @Test func `what is nested too deep is an error`() throws {
        func nested(_ depth: Int) -> Parameters {
            var value: Parameters.Value = 1
            for _ in 0..<depth { value = [value] }
            return Parameters([("a", value)])
        }
        #expect(try nested(128).query().hasSuffix("=1"))
        let error = #expect(throws: ErrandError.self) { try nested(129).query() }
        #expect(error?.code == .encodingFailed)
        #expect(error?.message.contains("deeper") == true)
    }

    @Test func `leaves are told with their names, not escaped`() throws {
        let parameters: Parameters = ["a b": ["c": [1, nil]], "d": .set(["&"]), "e": true]
        let leaves = try parameters.flattened().map { "\($0.name)|\($0.value ?? "-")" }
        #expect(leaves == ["a b[c][]|1", "a b[c][]|-", "d|&", "e|1"])
        let commas = try (["a": [1, "b,c"]] as Parameters).flattened(ParameterEncoding.QueryStyle(arrays: .commas))
        #expect(commas.map(\.value) == ["1,b,c"])
    }
}
