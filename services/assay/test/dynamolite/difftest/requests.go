package main

import "fmt"

// request draws the next request.
func (g *generator) request() request {
	g.names, g.values = object{}, object{}
	t := pick(g, g.tables...)
	if g.oneIn(50) {
		return g.tags(t)
	}
	var r request
	switch n := g.rng.IntN(100); {
	case n < 22:
		r = g.putItem(t)
	case n < 50:
		r = g.updateItem(t)
	case n < 56:
		r = g.deleteItem(t)
	case n < 64:
		r = g.getItem(t)
	case n < 78:
		r = g.query(t)
	case n < 83:
		r = g.scan(t)
	case n < 86:
		return g.batchWrite()
	case n < 88:
		return g.batchGet()
	case n < 97:
		return g.transactWrite()
	default:
		return g.transactGet()
	}
	r.body["TableName"] = t.name
	if g.oneIn(300) {
		r.body["TableName"] = "no-such-table"
	}
	if g.oneIn(10) {
		r.body["ReturnConsumedCapacity"] = pick(g, "TOTAL", "INDEXES", "NONE")
	}
	return r
}

// placeholders adds the placeholders drawn since the last call to body.
func (g *generator) placeholders(body object) object {
	if len(g.names) > 0 {
		body["ExpressionAttributeNames"] = g.names
	}
	if len(g.values) > 0 {
		body["ExpressionAttributeValues"] = g.values
	}
	g.names, g.values = object{}, object{}
	return body
}

// conditional adds a condition to most writes.
func (g *generator) conditional(body object, t tableSpec) object {
	switch {
	case g.oneIn(3):
	case g.oneIn(4):
		body["ConditionExpression"] = pick(g, "attribute_not_exists(", "attribute_exists(") + g.named(t.keys[0].name) + ")"
	default:
		body["ConditionExpression"] = g.corrupted(g.condition(3))
	}
	if g.oneIn(3) {
		body["ReturnValuesOnConditionCheckFailure"] = pick(g, "ALL_OLD", "ALL_OLD", "NONE")
	}
	return body
}

func (g *generator) putItem(t tableSpec) request {
	body := g.conditional(object{"Item": g.item(t)}, t)
	if g.oneIn(2) {
		body["ReturnValues"] = pick(g, "ALL_OLD", "NONE")
	}
	return request{"PutItem", g.placeholders(body)}
}

func (g *generator) updateItem(t tableSpec) request {
	body := object{"Key": g.key(t)}
	if !g.oneIn(50) {
		body["UpdateExpression"] = g.update()
	}
	body = g.conditional(body, t)
	body["ReturnValues"] = pick(g, "NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW")
	return request{"UpdateItem", g.placeholders(body)}
}

func (g *generator) deleteItem(t tableSpec) request {
	body := g.conditional(object{"Key": g.key(t)}, t)
	if g.oneIn(2) {
		body["ReturnValues"] = pick(g, "ALL_OLD", "NONE")
	}
	return request{"DeleteItem", g.placeholders(body)}
}

func (g *generator) getItem(t tableSpec) request {
	body := object{"Key": g.key(t), "ConsistentRead": g.oneIn(2)}
	if g.oneIn(2) {
		body["ProjectionExpression"] = g.projection(t)
	}
	return request{"GetItem", g.placeholders(body)}
}

// query draws a Query of a table or an index.
func (g *generator) query(t tableSpec) request {
	keys := t.keys
	body := object{}
	if len(t.indexes) > 0 && g.oneIn(2) {
		x := pick(g, t.indexes...)
		keys = x.keys
		body["IndexName"] = x.name
	}
	condition := g.named(keys[0].name) + " = " + g.ref(g.keyValue(keys[0].kind))
	if len(keys) > 1 && g.oneIn(2) {
		condition = g.sortCondition(condition, keys[1])
	}
	body["KeyConditionExpression"] = g.corrupted(condition)
	if g.oneIn(3) {
		body["ScanIndexForward"] = g.oneIn(2)
	}
	return request{"Query", g.placeholders(g.paged(body, t))}
}

func (g *generator) sortCondition(condition string, sk attribute) string {
	name := g.named(sk.name)
	value := func() string { return g.ref(g.keyValue(sk.kind)) }
	var second string
	switch g.rng.IntN(4) {
	case 0:
		second = name + " BETWEEN " + value() + " AND " + value()
	case 1:
		second = "begins_with(" + name + ", " + value() + ")"
	case 2:
		second = value() + " " + pick(g, "=", "<", "<=", ">", ">=") + " " + name
	default:
		second = name + pick(g, " = ", " < ", " <= ", " > ", " >= ", " <> ") + value()
	}
	if g.oneIn(5) {
		return "(" + second + ") AND " + condition
	}
	return condition + " AND " + second
}

// paged adds the parameters that Query and Scan share.
func (g *generator) paged(body object, t tableSpec) object {
	if g.oneIn(3) {
		body["FilterExpression"] = g.corrupted(g.condition(2))
	}
	if g.oneIn(3) {
		body["Limit"] = 1 + g.rng.IntN(4)
	}
	switch {
	case g.oneIn(4):
		body["ProjectionExpression"] = g.projection(t)
	case g.oneIn(6):
		body["Select"] = pick(g, "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES")
	}
	return body
}

func (g *generator) scan(t tableSpec) request {
	body := object{}
	if len(t.indexes) > 0 && g.oneIn(3) {
		body["IndexName"] = pick(g, t.indexes...).name
	}
	if g.oneIn(4) {
		// Segment is missing, because the session scans the segments sequentially.
		body["TotalSegments"] = 1 + g.rng.IntN(5)
	}
	return request{"Scan", g.placeholders(g.paged(body, t))}
}

func (g *generator) batchWrite() request {
	items := object{}
	for range 1 + g.rng.IntN(3) {
		t := pick(g, g.tables...)
		writes := list{}
		for range 1 + g.rng.IntN(3) {
			if g.oneIn(3) {
				writes = append(writes, object{"DeleteRequest": object{"Key": g.key(t)}})
			} else {
				writes = append(writes, object{"PutRequest": object{"Item": g.item(t)}})
			}
		}
		items[t.name] = writes
	}
	return request{"BatchWriteItem", object{"RequestItems": items}}
}

func (g *generator) batchGet() request {
	items := object{}
	for range 1 + g.rng.IntN(3) {
		t := pick(g, g.tables...)
		keys := list{}
		for range 1 + g.rng.IntN(4) {
			keys = append(keys, g.key(t))
		}
		body := object{"Keys": keys}
		if g.oneIn(2) {
			body["ProjectionExpression"] = g.projection(t)
		}
		items[t.name] = g.placeholders(body)
	}
	return request{"BatchGetItem", object{"RequestItems": items}}
}

// transactWrite draws a transaction, or repeats an earlier one with its token,
// sometimes with other actions.
func (g *generator) transactWrite() request {
	if len(g.tokens) > 0 && g.oneIn(12) {
		r := pick(g, g.tokens...)
		if g.oneIn(4) {
			return request{r.operation, object{"ClientRequestToken": r.body["ClientRequestToken"], "TransactItems": g.transactItems()}}
		}
		return r
	}
	r := request{"TransactWriteItems", object{"TransactItems": g.transactItems()}}
	if g.oneIn(4) {
		r.body["ClientRequestToken"] = fmt.Sprintf("token-%d", g.rng.Uint64())
		g.tokens = append(g.tokens, r)
	}
	return r
}

func (g *generator) transactItems() list {
	g.transaction = true
	defer func() { g.transaction = false }()
	items := list{}
	for range 1 + g.rng.IntN(4) {
		t := pick(g, g.tables...)
		var operation string
		var r request
		switch g.rng.IntN(4) {
		case 0:
			operation, r = "Put", g.putItem(t)
		case 1:
			operation, r = "Delete", g.deleteItem(t)
		case 2:
			operation, r = "Update", g.updateItem(t)
		default:
			operation, r = "ConditionCheck", request{body: object{"Key": g.key(t), "ConditionExpression": g.corrupted(g.condition(1))}}
			g.placeholders(r.body)
		}
		delete(r.body, "ReturnValues")
		r.body["TableName"] = t.name
		items = append(items, object{operation: r.body})
	}
	return items
}

func (g *generator) transactGet() request {
	items := list{}
	for range 1 + g.rng.IntN(4) {
		t := pick(g, g.tables...)
		body := object{"TableName": t.name, "Key": g.key(t)}
		if g.oneIn(3) {
			body["ProjectionExpression"] = g.projection(t)
		}
		items = append(items, object{"Get": g.placeholders(body)})
	}
	return request{"TransactGetItems", object{"TransactItems": items}}
}
