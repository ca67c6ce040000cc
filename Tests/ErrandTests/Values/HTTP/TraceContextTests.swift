internal import Errand
internal import TestEffort
internal import Testing

@Suite("Trace contexts (W3C Trace Context)", .timeLimit(.minutes(60)), .paced)
struct TraceContextTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let span = "b7ad6b7169203331"

    @Test func `are read and written`() throws {
        let text = "00-\(Self.trace)-\(Self.span)-01"
        let context = try #require(
            TraceContext(traceparent: text, tracestate: "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7"))
        #expect(context.traceID == Self.trace)
        #expect(context.spanID == Self.span)
        #expect(context.isSampled)
        #expect(context.state == "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7")
        #expect(context.traceparent == text)
    }

    @Test(arguments: [
        "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-", "00-\(trace)-\(span)-1", "00-\(trace)-\(span)-01-",
        "00-\(trace)-\(span)-01-more", "00-\(trace)-\(span)-011", "ff-\(trace)-\(span)-01",
        "0g-\(trace)-\(span)-01", "00-\(trace.uppercased())-\(span)-01", "00-\(trace)-\(span.uppercased())-01",
        "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01",
        "00_\(trace)-\(span)-01", "00-\(trace)_\(span)-01", "00-\(trace)-\(span)_01", "00-\(trace)-\(span)-0G",
        " 00-\(trace)-\(span)-01", "00-\(trace)-\(span)-01 ", "01-\(trace)-\(span)-01more",
        "00-é\(trace.dropFirst(2))-\(span)-01",
    ])
    func `that are not legal make none`(text: String) {
        #expect(TraceContext(traceparent: text) == nil)
    }

    @Test(arguments: [
        ("01-\(trace)-\(span)-01", true), ("cc-\(trace)-\(span)-00-what-comes-later", false),
        ("00-\(trace)-\(span)-ff", true), ("00-\(trace)-\(span)-02", false),
    ])
    func `of later versions are read as far as this one goes`(text: String, isSampled: Bool) throws {
        let context = try #require(TraceContext(traceparent: text))
        #expect(context.traceparent == "00-\(Self.trace)-\(Self.span)-0\(isSampled ? 1 : 0)")
    }

    @Test(arguments: [
        ("a=1", true), ("a=1,b=2", true), ("a=1 , \tb=2", true), ("a=1,,b=2", true), ("0a@v_-*/=x y", true),
        (String(repeating: "k", count: 256) + "=1", true), ("a=" + String(repeating: "v", count: 256), true),
        ((1...32).map { "k\($0)=1" }.joined(separator: ","), true),
        ((1...33).map { "k\($0)=1" }.joined(separator: ","), false),
        ("", false), (",", false), ("a", false), ("=1", false), ("a=", false), ("A=1", false), ("-a=1", false),
        ("a=1=2", false), ("a=é", false), ("a=\u{7}", false), ("a b=1", false),
        (String(repeating: "k", count: 257) + "=1", false), ("a=" + String(repeating: "v", count: 257), false),
    ])
    func `hand on a state that is legal, and no other`(state: String, isLegal: Bool) throws {
        let context = try #require(
            TraceContext(traceparent: "00-\(Self.trace)-\(Self.span)-01", tracestate: state))
        #expect(context.state == (isLegal ? state : nil))
    }

    @Test func `that begin have ids of the length that is asked for, without zeros alone`() throws {
        for seed in UInt64(0)..<1_000 {
            var numbers = Numbers(number: seed == 0 ? 0 : seed &* 0x9E37_79B9)
            let context = TraceContext(isSampled: seed.isMultiple(of: 2), using: &numbers)
            let read = try #require(TraceContext(traceparent: context.traceparent))
            #expect(read == context)
            #expect(read.hashValue == context.hashValue)
            let child = context.child(using: &numbers)
            #expect(child.traceID == context.traceID)
            #expect(child.isSampled == context.isSampled)
        }
        #expect(TraceContext() != TraceContext())
    }

    @Test func `are never made of chance bytes, and never trap`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<TestEffort.rounds(of: 20_000) {
            let bytes = (0..<Int.random(in: 0..<70)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            #expect(TraceContext(traceparent: String(decoding: bytes, as: UTF8.self)) == nil)
        }
    }

    /// A generator that answers the same number, then the next ones.
    private struct Numbers: RandomNumberGenerator {
        var number: UInt64

        mutating func next() -> UInt64 {
            defer { if self.number != 0 { self.number &+= 1 } }
            return self.number
        }
    }
}
