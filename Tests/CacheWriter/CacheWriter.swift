internal import Errand
internal import ErrandTesting
internal import Foundation

/// Uses a disk cache until it is killed, or for a number of rounds: `CacheWriter FOLDER CAPACITY SEED [ROUNDS]`.
///
/// Says `writing` and its number when it begins, and what is wrong if something is.
@main
struct CacheWriter {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4, let capacity = Int(arguments[2]), let seed = UInt64(arguments[3]) else { exit(2) }
        let cache = DiskCache(folder: URL(filePath: arguments[1]), capacity: capacity)
        let rounds = arguments.count > 4 ? Int(arguments[4]) : nil
        self.say("writing \(ProcessInfo.processInfo.processIdentifier)")
        var step: UInt64 = 0
        while step * 100 < UInt64(rounds ?? .max) {
            if let problem = await CachedText.hammer(cache, seed: (seed << 32) &+ step, rounds: 100) {
                self.say("wrong: \(problem)")
                exit(1)
            }
            step += 1
        }
        await cache.flush()
        self.say("done \(cache.takeNotice() ?? "")")
    }

    private static func say(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }
}
