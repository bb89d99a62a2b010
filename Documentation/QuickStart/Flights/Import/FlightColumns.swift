import RealmActors

/// Where each property of a flight stands in `flights.csv`.
struct FlightColumns {
    let carrier, origin, destination, tailNumber, hour: CSVColumn
    private let year, month, day, number, distance, airTime: CSVColumn
    private let scheduledDeparture, departure, departureDelay: CSVColumn
    private let scheduledArrival, arrival, arrivalDelay: CSVColumn

    init(_ row: CSVReader) throws(CSVError) {
        carrier = try row.column("carrier")
        origin = try row.column("origin")
        destination = try row.column("dest")
        tailNumber = try row.column("tailnum")
        hour = try row.column("time_hour")
        year = try row.column("year")
        month = try row.column("month")
        day = try row.column("day")
        number = try row.column("flight")
        distance = try row.column("distance")
        airTime = try row.column("air_time")
        scheduledDeparture = try row.column("sched_dep_time")
        departure = try row.column("dep_time")
        departureDelay = try row.column("dep_delay")
        scheduledArrival = try row.column("sched_arr_time")
        arrival = try row.column("arr_time")
        arrivalDelay = try row.column("arr_delay")
    }

    /// Sets everything that is not a link.
    func read(_ row: CSVReader, into flight: Flight) throws(CSVError) {
        flight.year = try row.integer(year)
        flight.month = try row.integer(month)
        flight.day = try row.integer(day)
        flight.number = try row.integer(number)
        flight.destinationCode = try row.text(destination)
        flight.tailNumber = try row.optionalText(tailNumber)
        flight.scheduledDeparture = try row.integer(scheduledDeparture)
        flight.departure = try row.optionalInteger(departure)
        flight.departureDelay = try row.optionalInteger(departureDelay)
        flight.scheduledArrival = try row.integer(scheduledArrival)
        flight.arrival = try row.optionalInteger(arrival)
        flight.arrivalDelay = try row.optionalInteger(arrivalDelay)
        flight.airTime = try row.optionalInteger(airTime)
        flight.distance = try row.integer(distance)
    }
}
