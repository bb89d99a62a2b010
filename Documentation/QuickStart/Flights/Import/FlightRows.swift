import RealmActors

/// The rows on their way into a transaction, and what later rows link to.
struct FlightRows {
    private(set) var counts = FlightImport.Counts()

    private let tx: WriteTransaction
    private let byteCount: Int
    private let progress: FlightImport.Progress
    private var bytesDone = 0
    private var airlines: [Code: Airline] = [:]
    private var airports: [Code: Airport] = [:]
    private var planes: [Code: Plane] = [:]
    private var weather: [StationHour: Weather] = [:]

    /// Flights and weather are joined by these two.
    private struct StationHour: Hashable {
        var station: Code
        var secondsSince1970: Int
    }

    init(tx: WriteTransaction, byteCount: Int, progress: @escaping FlightImport.Progress) {
        self.tx = tx
        self.byteCount = byteCount
        self.progress = progress
    }

    mutating func importAirlines(_ file: CSVFile) throws {
        var row = try file.reader()
        let code = try row.column("carrier")
        let name = try row.column("name")
        while try row.next() {
            let airline = Airline()
            airline.code = try row.text(code)
            airline.name = try row.text(name)
            try add(airline, as: try row.code(code), to: \.airlines, row)
            counts.airlines += 1
        }
        finish(file)
    }

    mutating func importAirports(_ file: CSVFile) throws {
        var row = try file.reader()
        let code = try row.column("faa")
        let name = try row.column("name")
        let latitude = try row.column("lat")
        let longitude = try row.column("lon")
        let altitude = try row.column("alt")
        let timeZone = try row.column("tzone")
        while try row.next() {
            let airport = Airport()
            airport.code = try row.text(code)
            airport.name = try row.text(name)
            airport.latitude = try row.double(latitude)
            airport.longitude = try row.double(longitude)
            airport.altitude = try row.integer(altitude)
            airport.timeZone = try row.optionalText(timeZone)
            try add(airport, as: try row.code(code), to: \.airports, row)
            counts.airports += 1
        }
        finish(file)
    }

    mutating func importPlanes(_ file: CSVFile) throws {
        var row = try file.reader()
        let tailNumber = try row.column("tailnum")
        let built = try row.column("year")
        let kind = try row.column("type")
        let manufacturer = try row.column("manufacturer")
        let model = try row.column("model")
        let engines = try row.column("engines")
        let seats = try row.column("seats")
        let speed = try row.column("speed")
        let engine = try row.column("engine")
        while try row.next() {
            let plane = Plane()
            plane.tailNumber = try row.text(tailNumber)
            plane.built = try row.optionalInteger(built)
            plane.kind = try row.text(kind)
            plane.manufacturer = try row.text(manufacturer)
            plane.model = try row.text(model)
            plane.engines = try row.integer(engines)
            plane.seats = try row.integer(seats)
            plane.speed = try row.optionalInteger(speed)
            plane.engine = try row.text(engine)
            try add(plane, as: try row.code(tailNumber), to: \.planes, row)
            counts.planes += 1
        }
        finish(file)
    }

    mutating func importWeather(_ file: CSVFile) throws {
        var row = try file.reader()
        let columns = try WeatherColumns(row)
        while try row.next() {
            let station = try row.code(columns.station)
            let hour = try row.moment(columns.hour)
            let observation = Weather()
            observation.station = airports[station]
            observation.hour = hour
            try columns.read(row, into: observation)
            try tx.add(observation)
            weather[StationHour(station: station, secondsSince1970: hour.wholeSeconds)] =
                observation
            counts.weather += 1
            if counts.weather % 1024 == 0 { report(row) }
        }
        finish(file)
    }

    mutating func importFlights(_ file: CSVFile) throws {
        var row = try file.reader()
        let columns = try FlightColumns(row)
        while try row.next() {
            let carrier = try row.code(columns.carrier)
            guard let airline = airlines[carrier] else {
                let code = try row.text(columns.carrier)
                throw row.failure("column carrier: airlines.csv has no airline \"\(code)\"")
            }
            let origin = try row.code(columns.origin)
            let hour = try row.moment(columns.hour)
            let flight = Flight()
            flight.airline = airline
            flight.origin = airports[origin]
            flight.destination = airports[try row.code(columns.destination)]
            if let tailNumber = try row.optionalCode(columns.tailNumber) {
                flight.plane = planes[tailNumber]
            }
            flight.hour = hour
            flight.weather =
                weather[
                    StationHour(station: origin, secondsSince1970: hour.wholeSeconds)]
            try columns.read(row, into: flight)
            try tx.add(flight)
            counts.flights += 1
            if counts.flights % 2048 == 0 { report(row) }
        }
        finish(file)
    }

    /// Adds an object that later rows find by its code; a second one of that code is an error.
    private mutating func add<T: Object>(
        _ object: T, as code: Code, to table: WritableKeyPath<Self, [Code: T]>, _ row: CSVReader
    ) throws {
        guard self[keyPath: table].updateValue(object, forKey: code) == nil else {
            throw row.failure("this code is in the file twice")
        }
        try tx.add(object)
    }

    private func report(_ row: CSVReader) {
        progress(Double(bytesDone + row.position) / Double(max(byteCount, 1)))
    }

    private mutating func finish(_ file: CSVFile) {
        bytesDone += file.bytes.count
        progress(Double(bytesDone) / Double(max(byteCount, 1)))
    }
}
