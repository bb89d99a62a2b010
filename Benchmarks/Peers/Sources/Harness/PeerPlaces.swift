/// What looking for places took.
struct PeerPlaces {
    let buildSeconds: Double
    let withinSeconds: Double
    /// How many places the areas have.
    let within: Int
    let nearestSeconds: Double
    /// The sum of the numbers of the nearest ones.
    let nearest: Int
}
