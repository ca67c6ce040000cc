import TestEffort
import Testing

@testable import ErrandSimulationTesting

/// What variables of the environment ask of tests with the trait.
@Suite("Settings of the environment", .timeLimit(.minutes(60)), .paced)
struct SimulationSettingsTests {
    @Test("Without variables nothing changes")
    func none() throws {
        #expect(try SimulationSettings(environment: ["ERRAND_OTHER": "x"]) == SimulationSettings())
    }

    @Test("All variables are read")
    func all() throws {
        let settings = try SimulationSettings(environment: [
            "ERRAND_SIMULATION_SCHEDULES": "10000", "ERRAND_SIMULATION_TIME": "600",
            "ERRAND_SIMULATION_RESULTS": "some folder",
        ])
        #expect(settings.schedules == 10_000)
        #expect(settings.time == .seconds(600))
        #expect(settings.results == "some folder")
    }

    @Test(
        "A number that is none, or makes no sense, is named",
        arguments: ["", "many", "0", "-1", "1.5", "1e3", " 1", "10m", "1000000001", "99999999999999999999"]
    )
    func badNumbers(_ text: String) {
        let range = "from 1 to 1000000000."
        #expect(
            throws: SimulationSettings.Problem(
                description:
                    "ERRAND_SIMULATION_SCHEDULES is \"\(text)\": it needs a whole number of schedules \(range)")
        ) { try SimulationSettings(environment: ["ERRAND_SIMULATION_SCHEDULES": text]) }
        #expect(
            throws: SimulationSettings.Problem(
                description: "ERRAND_SIMULATION_TIME is \"\(text)\": it needs a whole number of seconds \(range)")
        ) { try SimulationSettings(environment: ["ERRAND_SIMULATION_TIME": text]) }
    }

    @Test("A folder without a name is told")
    func badFolder() {
        #expect(
            throws: SimulationSettings.Problem(
                description: "ERRAND_SIMULATION_RESULTS is empty: it needs the path of a folder.")
        ) { try SimulationSettings(environment: ["ERRAND_SIMULATION_RESULTS": ""]) }
    }
}
