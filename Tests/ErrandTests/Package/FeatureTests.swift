internal import Foundation
internal import TestEffort
internal import Testing

@Suite("The package: compiler features (G11)", .timeLimit(.minutes(60)), .paced)
struct FeatureTests {
    /// The upcoming features that this target was really built with; a misspelt one is silently off.
    private var active: Set<String> {
        var active: Set<String> = []
        #if hasFeature(ExistentialAny)
            active.insert("ExistentialAny")
        #endif
        #if hasFeature(MemberImportVisibility)
            active.insert("MemberImportVisibility")
        #endif
        #if hasFeature(InternalImportsByDefault)
            active.insert("InternalImportsByDefault")
        #endif
        #if hasFeature(NonisolatedNonsendingByDefault)
            active.insert("NonisolatedNonsendingByDefault")
        #endif
        #if hasFeature(InferIsolatedConformances)
            active.insert("InferIsolatedConformances")
        #endif
        return active
    }

    private func manifest() throws -> String {
        var folder = URL(filePath: #filePath).deletingLastPathComponent()
        while folder.path != "/" {
            let file = folder.appending(path: "Package.swift")
            if FileManager.default.fileExists(atPath: file.path) {
                return try String(contentsOf: file, encoding: .utf8)
            }
            folder.deleteLastPathComponent()
        }
        throw CocoaError(.fileNoSuchFile)
    }

    @Test func `each feature that the manifest names is on`() throws {
        let manifest = try self.manifest()
        let named = manifest.matches(of: #/\.enableUpcomingFeature\("([A-Za-z]+)"\)/#).map { String($0.output.1) }
        #expect(!named.isEmpty)
        #expect(Set(named) == self.active)
    }

    @Test func `the gate builds with strict memory safety, and the language mode is 6`() throws {
        #if hasFeature(StrictMemorySafety)
            let isStrict = true
        #else
            let isStrict = false
        #endif
        #expect(isStrict || ProcessInfo.processInfo.environment["ERRAND_STRICT"] == nil)
        #if swift(<6)
            Issue.record("the language mode is older than 6")
        #endif
        let manifest = try self.manifest()
        #expect(manifest.contains(".swiftLanguageMode(.v6)"))
        #expect(manifest.contains(".strictMemorySafety()"))
        #expect(manifest.contains(".treatAllWarnings(as: .error)"))
        #expect(manifest.contains(#"if Context.environment["ERRAND_STRICT"] != nil {"#))
    }

    @Test func `every target is built with the same settings, and none with unsafe ones`() throws {
        let manifest = try self.manifest()
        #expect(manifest.contains("for target in package.targets"))
        #expect(manifest.contains("swiftSettings = settings"))
        #expect(!manifest.contains("unsafeFlags"))
    }

    @Test func `nothing comes from another package`() throws {
        #expect(try !self.manifest().contains(".package("))
    }
}
