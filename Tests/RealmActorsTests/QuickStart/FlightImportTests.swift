import Flights
import Foundation
import RealmActors
import Testing

/// The quick start's import: linked objects, sums that equal the files', and nothing at all when a
/// file is wrong.
@Suite struct FlightImportTests {
    private let data = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Documentation/QuickStart/Data", isDirectory: true)

    private func withRealm(_ body: (String, Realm) async throws -> Void) async throws {
        let path = TestFolder.path("flights")
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(path, try await open(path))
    }

    private func open(_ path: String) async throws -> Realm {
        try await Realm.open(.init(path: path, objectTypes: FlightModel.objectTypes))
    }

    @Test func januaryIsTheSameAfterReopening() async throws {
        try await withRealm { path, realm in
            let folder = try FlightFolder(at: data)
            let counts = try await FlightImport(of: folder).run(in: realm)
            #expect(counts.airlines == 16)
            #expect(counts.airports == 1458)
            #expect(counts.planes == 3322)
            #expect(counts.flights == 27_004)
            let expected = try FlightTotals(of: folder.flights)
            #expect(FlightTotals(of: realm.objects(Flight.self)) == expected)
            try await realm.close()

            let reopened = try await open(path)
            #expect(FlightTotals(of: reopened.objects(Flight.self)) == expected)
            for airline in reopened.objects(Airline.self) {
                let flights = expected.carriers[airline.code]?.flights ?? 0
                #expect(airline.flights.count == flights)
            }
            let first = try #require(reopened.objects(Flight.self).first)
            #expect(first.airline?.name == "United Air Lines Inc.")
            #expect(first.origin?.code == "EWR" && first.destination?.code == "IAH")
            #expect(first.plane?.manufacturer == "BOEING")
            try await reopened.close()
        }
    }

    /// One row per file, and weather that joins the flight by airport and hour.
    private func small(flights: String) -> FlightFolder {
        func file(_ name: String, _ text: String) -> CSVFile {
            CSVFile(name: name, bytes: Array(text.utf8))
        }
        return FlightFolder(
            airlines: file("airlines.csv", "carrier,name\nUA,United\n"),
            airports: file(
                "airports.csv",
                "faa,name,lat,lon,alt,tz,dst,tzone\nEWR,Newark,40.7,-74.2,18,-5,A,NA\n"),
            planes: file(
                "planes.csv",
                """
                tailnum,year,type,manufacturer,model,engines,seats,speed,engine
                N1,NA,Fixed wing,BOEING,737,2,149,NA,Turbo-fan

                """),
            weather: file(
                "weather.csv",
                """
                origin,temp,dewp,humid,wind_dir,wind_speed,wind_gust,precip,pressure,visib,time_hour
                EWR,39.02,NA,NA,270,10.5,NA,0,1012,10,2013-01-01T10:00:00Z

                """),
            flights: file("flights.csv", flights))
    }

    private let header =
        "year,month,day,dep_time,sched_dep_time,dep_delay,arr_time,sched_arr_time,arr_delay,"
        + "carrier,flight,tailnum,origin,dest,air_time,distance,hour,minute,time_hour\n"
    private let flight =
        "2013,1,1,517,515,2,830,819,11,UA,1545,N1,EWR,XXX,227,1400,5,15,2013-01-01T10:00:00Z\n"

    @Test func weatherIsJoinedByAirportAndHour() async throws {
        try await withRealm { _, realm in
            let counts = try await FlightImport(of: small(flights: header + flight)).run(in: realm)
            #expect(counts.total == 5)
            let first = try #require(realm.objects(Flight.self).first)
            #expect(first.weather?.windSpeed == 10.5)
            #expect(first.destination == nil && first.destinationCode == "XXX")
            #expect(first.plane?.built == nil)
            try await realm.close()
        }
    }

    @Test func aMalformedFileLeavesNothing() async throws {
        try await withRealm { _, realm in
            let folder = small(flights: header + flight + flight.replacing("UA", with: "ZZ"))
            let error = await #expect(throws: CSVError.self) {
                try await FlightImport(of: folder).run(in: realm)
            }
            #expect(
                error?.description
                    == "flights.csv:3: column carrier: airlines.csv has no airline \"ZZ\"")
            #expect(realm.objects(Flight.self).isEmpty)
            #expect(realm.objects(Airline.self).isEmpty)
            #expect(realm.objects(Weather.self).isEmpty)
            try await realm.close()
        }
    }

    @Test func aMissingFileIsNamed() throws {
        let nowhere = URL(fileURLWithPath: TestFolder.path("nowhere"))
        let error = #expect(throws: CSVError.self) { try FlightFolder(at: nowhere) }
        #expect(error?.file == "airlines.csv" && error?.line == nil)
    }
}
