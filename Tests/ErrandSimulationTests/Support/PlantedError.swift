/// An error that only these tests throw.
struct PlantedError: Error {}
