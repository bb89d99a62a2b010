import Foundation
import Hummingbird
import RealmActors

/// The orders under `/orders`.
struct OrderRoutes: Sendable {
    let database: RealmService

    /// No order takes more bytes than this.
    static let orderLimit = 64 << 10
    static let pageLimit = 1000

    func add(to router: Router<BasicRequestContext>) {
        let orders = router.group("orders")
        orders.get(use: list)
        orders.post(use: place)
        orders.get("changes", use: OrderChanges(database: database).follow)
        orders.post("import", use: OrderImport(database: database).run)
        orders.get(":id", use: get)
        orders.put(":id", use: put)
        orders.patch(":id", use: patch)
        orders.delete(":id", use: delete)
    }

    /// A page, and what its client needs for the next one and for what changes from here on.
    private struct Page: Encodable {
        let orders: FrozenResults<Order>
        let next: PageCursor?
        let changes: String
    }

    /// `GET /orders?customer=Ann&query=quantity > 3&after=...&limit=50`
    private func list(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let parameters = request.uri.queryParameters
        let snapshot = try await database.realm.snapshot(label: "GET /orders")
        var orders = snapshot.objects(Order.self).sorted(by: \.customer)
        if let customer = parameters["customer"] {
            let name = String(customer)
            orders = orders.where { $0.customer == name }
        }
        if let query = parameters["query"] { orders = try orders.filter(String(query)) }
        let limit = parameters["limit"].map { Int($0) ?? 0 } ?? 50
        guard (1...Self.pageLimit).contains(limit) else {
            throw HTTPError(.badRequest, message: "limit is from 1 to \(Self.pageLimit).")
        }
        let after = try parameters["after"].map { text in
            guard let cursor = PageCursor(String(text)) else {
                throw HTTPError(.badRequest, message: "after is not a page cursor.")
            }
            return cursor
        }
        let page = try orders.page(after: after, limit: limit)
        return try .json(
            Page(
                orders: page.objects, next: page.next,
                changes: ChangeTokenText.text(snapshot.changeToken)))
    }

    private func get(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let id = try context.parameters.require("id", as: UUID.self)
        guard let order = try await database.realm.object(Order.self, forPrimaryKey: id) else {
            throw HTTPError(.notFound, message: "There is no order \(id).")
        }
        return try .json(order)
    }

    /// Makes an order, whose identifier the client may choose.
    private func place(_ request: Request, _ context: BasicRequestContext) async throws -> Response
    {
        let body = try await request.orderBody()
        let id = try await database.realm.write(author: "POST /orders") { tx in
            try tx.importOrder(body, update: .error).id
        }
        var response = try await stored(id, .created)
        response.headers[.location] = "/orders/\(id)"
        return response
    }

    /// Makes or replaces an order: the same request again changes nothing, so that a client which
    /// got no answer may repeat it.
    private func put(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let id = try context.parameters.require("id", as: UUID.self)
        let body = try await request.orderBody()
        let isNew = try await database.realm.write(author: "PUT /orders") { tx in
            let isNew = tx.object(Order.self, forPrimaryKey: id) == nil
            // What a body throws rolls its transaction back.
            guard try tx.importOrder(body, update: .all).id == id else {
                throw HTTPError(.badRequest, message: "The id of the body is not that of the path.")
            }
            return isNew
        }
        return try await stored(id, isNew ? .created : .ok)
    }

    private func patch(_ request: Request, _ context: BasicRequestContext) async throws -> Response
    {
        let id = try context.parameters.require("id", as: UUID.self)
        let body = try await request.orderBody()
        let patch = try OrderJSON.decoder.decode(OrderPatch.self, from: body)
        try await database.realm.write(author: "PATCH /orders") { tx in
            guard let order = tx.object(Order.self, forPrimaryKey: id) else {
                throw HTTPError(.notFound, message: "There is no order \(id).")
            }
            try patch.apply(to: order)
        }
        return try await stored(id, .ok)
    }

    private func delete(_ request: Request, _ context: BasicRequestContext) async throws -> Response
    {
        let id = try context.parameters.require("id", as: UUID.self)
        try await database.realm.write(author: "DELETE /orders") { tx in
            guard let order = tx.object(Order.self, forPrimaryKey: id) else {
                throw HTTPError(.notFound, message: "There is no order \(id).")
            }
            try tx.delete(order)
        }
        return Response(status: .noContent)
    }

    /// Answers with an order as it is by now, which another client may have changed already.
    private func stored(_ id: UUID, _ status: HTTPResponse.Status) async throws -> Response {
        guard let order = try await database.realm.object(Order.self, forPrimaryKey: id) else {
            throw HTTPError(.gone, message: "The order \(id) was written and deleted since.")
        }
        return try .json(order, status)
    }
}

extension WriteTransaction {
    /// Makes the one order that JSON gives.
    func importOrder(_ json: Data, update: UpdatePolicy) throws -> Order {
        let orders = try importOrders(json, update: update)
        guard orders.count == 1, let order = orders.first else {
            throw HTTPError(.badRequest, message: "The body must be one order.")
        }
        return order
    }

    func importOrders(
        _ json: Data, update: UpdatePolicy
    ) throws(RealmError) -> CreatedObjects<Order> {
        let orders = try create(
            Order.self, json: json, update: update, unknownKeys: .refuse,
            decoder: OrderJSON.decoder)
        for order in orders { try order.validate() }
        return orders
    }
}

extension Response {
    static func json(
        _ value: some Encodable, _ status: HTTPResponse.Status = .ok
    ) throws -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: try OrderJSON.encoder.encode(value))))
    }
}

extension Request {
    /// The whole body, which is one order.
    func orderBody() async throws -> Data {
        Data(try await body.collect(upTo: OrderRoutes.orderLimit).readableBytesView)
    }
}
