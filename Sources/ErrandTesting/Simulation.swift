// Whoever tests requests wants the clock and the simulation beside the doubles, with one import.
@_exported public import ErrandSimulation
