// swift-tools-version: 6.2

import PackageDescription

/// Every target is built with these settings; `FeatureTests` checks that each feature is really on.
var settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

// For changes to this package, not for packages that depend on it: a newer compiler may have new warnings, and build
// systems that suppress the warnings of dependencies refuse to make them errors.
if Context.environment["ERRAND_STRICT"] != nil {
    settings += [.strictMemorySafety(), .treatAllWarnings(as: .error)]
}

// The reach of a simulation uses parts of the runtime that are not a supported interface: it is compiled for the
// versions with which it was tested.
#if compiler(>=6.3) && compiler(<6.4)
    let reachSettings: [CSetting] = [.define("ERRAND_SIMULATION_REACH", .when(platforms: [.linux]))]
#else
    let reachSettings: [CSetting] = []
#endif

let package = Package(
    name: "swift-errand",
    platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [
        .library(name: "Errand", targets: ["Errand"]),
        .library(name: "ErrandLogging", targets: ["ErrandLogging"]),
        .library(name: "ErrandMetrics", targets: ["ErrandMetrics"]),
        .library(name: "ErrandOutbox", targets: ["ErrandOutbox"]),
        .library(name: "ErrandSimulation", targets: ["ErrandSimulation"]),
        .library(name: "ErrandSimulationTesting", targets: ["ErrandSimulationTesting"]),
        .library(name: "ErrandTesting", targets: ["ErrandTesting"]),
        .library(name: "ErrandTimeline", targets: ["ErrandTimeline"]),
        .executable(name: "errand", targets: ["ErrandCLI"]),
        .executable(name: "errand-bench", targets: ["ErrandBench"]),
        .plugin(name: "RaceCheck", targets: ["RaceCheck"]),
    ],
    targets: [
        .target(name: "ErrandMachines"),
        .target(name: "ErrandLocks"),
        .target(name: "CErrandCurl"),
        .target(name: "CErrandCodings"),
        .target(name: "CErrandFiles"),
        .target(name: "CErrandNetwork"),
        .target(
            name: "Errand",
            dependencies: [
                "ErrandMachines", "ErrandLocks", "CErrandCodings", "CErrandFiles",
                .target(name: "CErrandCurl", condition: .when(platforms: [.linux])),
                .target(name: "CErrandNetwork", condition: .when(platforms: [.linux])),
            ]),
        .target(name: "ErrandLogging", dependencies: ["Errand", "ErrandLocks"]),
        .target(name: "ErrandMetrics", dependencies: ["Errand", "ErrandLocks"]),
        .target(name: "ErrandOutbox", dependencies: ["Errand", "ErrandLocks", "ErrandMachines"]),
        .target(name: "CErrandSimulation", cSettings: reachSettings),
        .target(name: "ErrandSimulation", dependencies: ["CErrandSimulation", "ErrandLocks"]),
        .target(name: "ErrandSimulationTesting", dependencies: ["ErrandSimulation", "ErrandLocks"]),
        .target(name: "ErrandTesting", dependencies: ["Errand", "ErrandLocks", "ErrandSimulation"]),
        .target(name: "ErrandTimeline", dependencies: ["Errand", "ErrandLocks"]),
        .executableTarget(
            name: "ErrandCLI", dependencies: ["Errand", "ErrandLocks", "ErrandTesting", "ErrandTimeline"]),
        .target(
            name: "CErrandBench",
            dependencies: [.target(name: "CErrandCurl", condition: .when(platforms: [.linux]))]),
        .executableTarget(
            name: "ErrandBench",
            dependencies: [
                "Errand", "ErrandLocks", "ErrandLogging", "ErrandMetrics", "ErrandSimulation", "ErrandTesting",
                "CErrandCodings", "SimulationCatalogue",
                .target(name: "CErrandBench", condition: .when(platforms: [.linux])),
            ]),
        // Does not use the library, so that it builds in seconds.
        .executableTarget(name: "ErrandRaceCheck"),
        .plugin(
            name: "RaceCheck",
            capability: .command(
                intent: .custom(
                    verb: "race-check",
                    description: "Looks for races: in sources, and in runs of tests with --tests or --simulate")
            ),
            dependencies: ["ErrandRaceCheck"]),
        .executableTarget(
            name: "CacheWriter", dependencies: ["Errand", "ErrandTesting"], path: "Tests/CacheWriter"),
        .executableTarget(
            name: "OutboxWriter", dependencies: ["Errand", "ErrandOutbox", "ErrandLocks"], path: "Tests/OutboxWriter"),
        .executableTarget(name: "TokenRenewer", dependencies: ["Errand"], path: "Tests/TokenRenewer"),
        .target(
            name: "SimulationCatalogue", dependencies: ["ErrandSimulation"], path: "Tests/SimulationCatalogue"),
        .target(name: "TestEffort", dependencies: ["ErrandLocks"], path: "Tests/TestEffort"),
        .testTarget(name: "ErrandMachinesTests", dependencies: ["ErrandMachines", "TestEffort"]),
        .testTarget(
            name: "ErrandTests",
            dependencies: ["Errand", "ErrandLocks", "ErrandLogging", "ErrandTesting", "TestEffort"]
        ),
        // Like new apps: declarations without an isolation are isolated to the main actor.
        .testTarget(
            name: "ErrandMainActorTests", dependencies: ["Errand", "ErrandTesting", "TestEffort"],
            swiftSettings: [.defaultIsolation(MainActor.self)]),
        .testTarget(
            name: "ErrandLoggingTests",
            dependencies: ["ErrandLogging", "Errand", "ErrandLocks", "ErrandTesting", "TestEffort"]),
        .testTarget(
            name: "ErrandMetricsTests",
            dependencies: ["ErrandMetrics", "Errand", "ErrandLocks", "ErrandTesting", "TestEffort"]),
        .testTarget(
            name: "ErrandOutboxTests",
            dependencies: ["ErrandOutbox", "Errand", "ErrandLocks", "ErrandTesting", "TestEffort"]),
        .testTarget(
            name: "ErrandSimulationTests",
            dependencies: [
                "ErrandSimulation", "ErrandSimulationTesting", "ErrandLocks", "SimulationCatalogue", "TestEffort",
            ]),
        .testTarget(
            name: "ErrandSimulationTestingTests",
            dependencies: ["ErrandSimulationTesting", "ErrandSimulation", "ErrandLocks", "TestEffort"]),
        .testTarget(
            name: "ErrandTestingTests", dependencies: ["ErrandTesting", "Errand", "ErrandLocks", "TestEffort"]),
        .testTarget(
            name: "ErrandTimelineTests", dependencies: ["ErrandTimeline", "Errand", "ErrandTesting", "TestEffort"]),
        .testTarget(
            name: "ErrandRaceCheckTests", dependencies: ["ErrandRaceCheck", "ErrandTesting", "TestEffort"],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "ErrandCLITests",
            dependencies: ["ErrandCLI", "Errand", "ErrandLocks", "ErrandTesting", "ErrandTimeline", "TestEffort"]),
    ]
)

// FoundationNetworking is a library of its own on Linux, which a statically linked program would have to contain with
// all that it needs. There, the transport over URLSession is built for the package's own tests, and only for debug.
let privacy = "PrivacyInfo.xcprivacy"
#if os(Linux)
    let urlSession = "Sending/URLSession"
    package.targets.append(
        .target(
            name: "ErrandURLSession", dependencies: ["Errand", "ErrandLocks"], path: "Sources/Errand/\(urlSession)",
            swiftSettings: [.define("ERRAND_URLSESSION")]))
    for target in package.targets {
        switch target.name {
        case "Errand": target.exclude = [urlSession, privacy]
        case "ErrandTests": target.dependencies.append("ErrandURLSession")
        default: break
        }
    }
#else
    for target in package.targets where target.name == "Errand" { target.resources = [.copy(privacy)] }
#endif

// A plug-in has no settings: it is built as its caller's package manager builds plug-ins.
for target in package.targets where target.type != .plugin {
    target.swiftSettings = settings + (target.swiftSettings ?? [])
}
