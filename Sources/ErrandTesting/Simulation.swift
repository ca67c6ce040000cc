// Tests of requests need the clock and the simulation along with the test doubles, with one import.
@_exported public import ErrandSimulation
