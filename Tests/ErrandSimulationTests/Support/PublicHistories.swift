import ErrandSimulation
import Foundation

/// The register of etcd, as Jepsen tests it: reads, writes, and swaps that tell only whether they succeeded.
struct EtcdRegister: LinearizableModel {
    enum Operation: Sendable, Hashable {
        case read
        case write(Int)
        case swap(Int, Int)
    }

    enum Result: Sendable, Hashable {
        case value(Int?)
        case written
        case swapped(Bool)
    }

    let initialState: Int? = nil

    func step(_ operation: Operation, on state: inout Int?) -> Result {
        switch operation {
        case .read: return .value(state)
        case .write(let value):
            state = value
            return .written
        case .swap(let expected, let desired):
            guard state == expected else { return .swapped(false) }
            state = desired
            return .swapped(true)
        }
    }

    /// Reads a history whose values are numbers, and `nil` for a register that was not written.
    static func history(_ text: String) throws(HistoryTextError) -> History<Operation, Result> {
        try History(
            parsing: text,
            operation: { name, value in
                let numbers = (value ?? "").split(separator: " ").compactMap { Int($0) }
                switch (name, numbers.count) {
                case ("read", 0): return .read
                case ("write", 1): return .write(numbers[0])
                case ("cas", 2): return .swap(numbers[0], numbers[1])
                default: return nil
                }
            },
            result: { operation, value in
                switch operation {
                case .read: value == "nil" ? .value(nil) : value.flatMap { Int($0) }.map { .value($0) }
                case .write: .written
                case .swap: .swapped(true)
                }
            },
            failure: { operation, value in
                // A swap that failed has compared; a read that timed out is of no interest.
                if case .swap = operation, value == nil { .swapped(false) } else { nil }
            })
    }
}

/// A store of texts by key, which can be appended to.
struct AppendingStore: LinearizableModel {
    enum Operation: Sendable, Hashable {
        case get(String)
        case put(String, String)
        case append(String, String)
    }

    let initialState: [String: String] = [:]
    /// If false, the history is checked as a whole.
    var isPartitioned = true

    func step(_ operation: Operation, on state: inout [String: String]) -> String {
        switch operation {
        case .get(let key): return state[key] ?? ""
        case .put(let key, let value): state[key] = value
        case .append(let key, let value): state[key, default: ""] += value
        }
        return ""
    }

    func part(of operation: Operation) -> AnyHashable? {
        guard self.isPartitioned else { return nil }
        return switch operation {
        case .get(let key), .put(let key, _), .append(let key, _): AnyHashable(key)
        }
    }

    /// Reads a history whose values are a key and a text.
    static func history(_ text: String) throws(HistoryTextError) -> History<Operation, String> {
        try History(
            parsing: text,
            operation: { name, value in
                let parts = (value ?? "").split(separator: " ", maxSplits: 1).map(String.init)
                switch (name, parts.count) {
                case ("get", 1): return .get(parts[0])
                case ("put", 1...): return .put(parts[0], parts.count > 1 ? parts[1] : "")
                case ("append", 2): return .append(parts[0], parts[1])
                default: return nil
                }
            },
            result: { operation, value in if case .get = operation { value ?? "" } else { "" } })
    }
}

/// The files of `Tests/KnownHistories`.
enum PublicHistories {
    static func text(_ name: String) throws -> String {
        let folder = URL(filePath: #filePath, directoryHint: .notDirectory).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "KnownHistories", directoryHint: .isDirectory)
        return try String(contentsOf: folder.appending(path: "\(name).txt"), encoding: .utf8)
    }
}
