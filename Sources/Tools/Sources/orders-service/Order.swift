import Foundation
import RealmActors

/// An order.
final class Order: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted(indexed: true) var customer: String
    @Persisted var item: String
    @Persisted var quantity: Int = 1
    @Persisted var status: Status
    @Persisted var placed: Date = .now

    enum Status: String, PersistableEnum, Codable {
        case open, paid, shipped, cancelled
    }

    /// What no type of a property says.
    func validate() throws(RealmError) {
        if customer.isEmpty { throw .invalidValue("An order has a customer.") }
        if item.isEmpty { throw .invalidValue("An order has an item.") }
        if quantity < 1 { throw .invalidValue("A quantity must be at least 1: \(quantity).") }
    }
}

/// Those properties of an order that a client changes.
struct OrderPatch: Decodable {
    let item: String?
    let quantity: Int?
    let status: Order.Status?

    func apply(to order: Order) throws(RealmError) {
        if let item { order.item = item }
        if let quantity { order.quantity = quantity }
        if let status { order.status = status }
        try order.validate()
    }
}

/// How dates stand in JSON.
enum OrderJSON {
    static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = .sortedKeys
        return encoder
    }

    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }
}
