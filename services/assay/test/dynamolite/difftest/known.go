package main

import (
	"reflect"
	"slices"
	"strings"
)

// knownDifference is a way in which the rival, dynoxide 1.2.1, differs from
// DynamoDB.
type knownDifference struct {
	name   string
	reason string
	match  func(difference) bool
}

// known lists the reviewed differences. The first match applies.
func known() []knownDifference {
	return []knownDifference{
		{
			"words", "both reject an expression or update, but the rival has its own messages for syntax errors, and if there are " +
				"several problems, it reports a different one first; dynamolite's messages and their order are tested in package expr",
			func(d difference) bool {
				return invalid(d.ours) && invalid(d.theirs) &&
					(expressionProblem(d.ours.message) || problem(d.ours.message) != problem(d.theirs.message))
			},
		},
		{
			"reasons", "the same actions of a transaction fail, with a different message or a different one of several problems",
			func(d difference) bool {
				return d.ours.exception == "TransactionCanceledException" && d.theirs.exception == d.ours.exception &&
					reflect.DeepEqual(reasonCodes(d.ours), reasonCodes(d.theirs))
			},
		},
		{
			"late checks", "DynamoDB checks expressions first, before tokens, tables and conditions; the rival does so later, " +
				"and omits some checks of operands, placeholders and paths",
			func(d difference) bool {
				return invalid(d.ours) && !invalid(d.theirs) && expressionProblem(d.ours.message) && !updateProblem(d.ours.message) &&
					(!d.theirs.ok() || neverChecked(d.ours.message))
			},
		},
		{
			"nested paths", "the rival accepts updates of paths whose parent is missing or of another kind; DynamoDB rejects them",
			func(d difference) bool { return nestedPathRefused(d.ours, d.theirs) },
		},
		{
			"values in transactions", "an invalid value or an empty key makes the entire request invalid, as in AWS; the rival cancels the transaction",
			func(d difference) bool {
				return invalid(d.ours) && d.theirs.exception == "TransactionCanceledException" && valueProblem(d.ours.message)
			},
		},
		{
			"duplicate item and another problem", "a transaction that names an item twice and has another problem: AWS does not specify which it reports first",
			func(d difference) bool {
				const twice = "Transaction request cannot include multiple operations on one item"
				return d.ours.message == twice && !d.theirs.ok() || d.theirs.message == twice && !d.ours.ok()
			},
		},
		{
			"token of a rejected transaction", "AWS does not specify whether a rejected transaction uses up its token: here it does not; " +
				"the rival may also have accepted a transaction that was rejected here because of another listed difference",
			func(d difference) bool {
				return d.afterRefusal && (d.theirs.ok() || d.theirs.exception == "IdempotentParameterMismatchException")
			},
		},
		{
			"old image of a new item", "ReturnValues ALL_OLD of an update that creates an item: DynamoDB returns nothing, but the rival returns the key",
			func(d difference) bool {
				return d.bothOK() && d.request.operation == "UpdateItem" && d.ours.body["Attributes"] == nil &&
					sameMembers(d.theirs.body["Attributes"], d.request.body["Key"])
			},
		},
		{
			"updated elements", "ReturnValues UPDATED_… of a path with an index: DynamoDB returns the elements, but the rival returns entire lists",
			func(d difference) bool {
				src, _ := d.request.body["UpdateExpression"].(string)
				values, _ := d.request.body["ReturnValues"].(string)
				return d.bothOK() && strings.HasPrefix(values, "UPDATED_") && strings.Contains(src, "[") &&
					partOf(d.ours.body["Attributes"], d.theirs.body["Attributes"])
			},
		},
		{
			"paging by partition key", "Query of a table without a sort key: the rival does not honor ExclusiveStartKey and returns the item again",
			func(d difference) bool {
				return d.bothOK() && d.request.operation == "Query" && d.request.body["IndexName"] == nil &&
					d.request.body["Limit"] != nil && hasNoSortKey(d.request.body["TableName"]) &&
					reflect.DeepEqual(firstPage(d.ours), firstPage(d.theirs))
			},
		},
		{
			"unprojected attributes", "a projection or filter names attributes that the index does not project: DynamoDB rejects it, but the rival does not",
			func(d difference) bool { return strings.Contains(d.ours.message, " does not project [") },
		},
		{
			"keys in TransactGetItems", "the rival adds the key to projections",
			func(d difference) bool {
				return d.bothOK() && d.request.operation == "TransactGetItems" && reflect.DeepEqual(withoutKeys(d.ours.body["Responses"]), withoutKeys(d.theirs.body["Responses"]))
			},
		},
		{
			"sort key first", "the rival rejects a key condition that starts with the condition on the sort key in parentheses",
			func(d difference) bool {
				src, _ := d.request.body["KeyConditionExpression"].(string)
				return d.ours.ok() && invalid(d.theirs) && strings.HasPrefix(src, "(")
			},
		},
		{
			"key values in Query", "a value that is empty or not of the key's type: DynamoDB rejects it, but the rival returns no items",
			func(d difference) bool {
				return d.request.operation == "Query" && invalid(d.ours) && (strings.Contains(d.ours.message, "does not match schema type") ||
					strings.Contains(d.ours.message, "cannot contain an empty"))
			},
		},
		{
			"resource of tags", "TagResource of a missing table: DynamoDB names the resource, but the rival does not",
			func(d difference) bool {
				return d.request.operation == "TagResource" && d.ours.exception == "ResourceNotFoundException" && d.theirs.exception == d.ours.exception
			},
		},
		{
			"token mismatch", "the rival has no message for IdempotentParameterMismatchException",
			func(d difference) bool {
				return d.ours.exception == "IdempotentParameterMismatchException" && d.theirs.exception == d.ours.exception
			},
		},
	}
}

func findKnown(d difference) (knownDifference, bool) {
	for _, k := range known() {
		if k.match(d) {
			return k, true
		}
	}
	return knownDifference{}, false
}

func (d difference) bothOK() bool { return d.ours.ok() && d.theirs.ok() }

func invalid(a response) bool { return a.exception == "ValidationException" }

// neverChecked reports whether a message is about a check that the rival may
// omit.
func neverChecked(message string) bool {
	for _, words := range []string{
		"Incorrect operand type", "The BETWEEN operator requires", "must be distinct", "Invalid attribute type name",
		"unused in expressions", "Two document paths",
	} {
		if strings.Contains(message, words) {
			return true
		}
	}
	return false
}

// updateProblem reports whether a message means that an update cannot be applied to
// its item.
func updateProblem(message string) bool {
	return strings.HasPrefix(message, "The document path provided in the update expression") ||
		strings.HasPrefix(message, "An operand in the update expression") ||
		strings.HasPrefix(message, "The provided expression refers to an attribute")
}

// valueProblem reports whether a message is about a value that no item can
// have, or an empty key.
func valueProblem(message string) bool { return slices.Contains(valueProblems(), problem(message)) }

func valueProblems() []string {
	return []string{
		"may not be empty", "should not be empty", "contains duplicates", "cannot contain an empty", "Supplied AttributeValue",
		"Null attribute value", "numeric value", "Number overflow", "Number underflow", "significant digits",
	}
}

// problem returns a phrase that identifies the problem, or "" for other
// messages.
func problem(message string) string {
	others := []string{
		"keys contains duplicates", "multiple operations on one item", "does not match the schema", "missing field",
		"ALL_PROJECTED_ATTRIBUTES", "Select type ALL_ATTRIBUTES", "missed key schema element", "non-primary key attributes",
	}
	for _, words := range append(others, valueProblems()...) {
		if strings.Contains(message, words) {
			return words
		}
	}
	return ""
}

// expressionProblem reports whether a message is about an expression or its
// placeholders.
func expressionProblem(message string) bool {
	return updateProblem(message) || strings.HasPrefix(message, "Invalid ") && strings.Contains(message, "KeyConditionExpression") ||
		strings.HasPrefix(message, "Invalid ") && strings.Contains(message, "Expression: ") ||
		strings.HasPrefix(message, "Value provided in ExpressionAttribute") || strings.HasPrefix(message, "ExpressionAttribute") ||
		strings.HasPrefix(message, "KeyConditionExpressions ")
}

// nestedPathRefused reports whether ours rejects only document paths that theirs
// accepts, in one update or in actions of a transaction.
func nestedPathRefused(ours, theirs response) bool {
	const path = "The document path provided in the update expression"
	if invalid(ours) {
		return !invalid(theirs) && strings.HasPrefix(ours.message, path)
	}
	accepted := reasonMessages(theirs)
	refused := false
	for i, message := range reasonMessages(ours) {
		if len(accepted) > 0 && accepted[i] == message {
			continue
		}
		if !strings.HasPrefix(message, path) && (len(accepted) == 0 && message != "" || len(accepted) > 0 && accepted[i] == "") {
			return false
		}
		refused = true
	}
	return refused
}

func reasons(a response) list {
	l, _ := a.body["CancellationReasons"].(list)
	return l
}

func reasonCodes(a response) list {
	codes := list{}
	for _, r := range reasons(a) {
		codes = append(codes, r.(object)["Code"])
	}
	return codes
}

func reasonMessages(a response) []string {
	var messages []string
	for _, r := range reasons(a) {
		message, _ := r.(object)["Message"].(string)
		messages = append(messages, message)
	}
	return messages
}

// sameMembers reports whether two items have the same attribute names. It does not
// compare values, because numbers can be spelled differently.
func sameMembers(a, b any) bool {
	x, _ := a.(object)
	y, _ := b.(object)
	for name := range x {
		if _, ok := y[name]; !ok {
			return false
		}
	}
	return len(x) == len(y) && len(x) > 0
}

// partOf reports whether b has all attributes of a with equal values. The lists and
// maps of b can have other elements.
func partOf(a, b any) bool {
	whole, _ := b.(object)
	parts, _ := a.(object)
	for name, part := range parts {
		v, _ := whole[name].(object)
		if v["L"] == nil && v["M"] == nil && !reflect.DeepEqual(part, whole[name]) {
			return false
		}
	}
	return true
}

func firstPage(a response) any {
	pages, _ := a.body["Pages"].(list)
	if len(pages) == 0 {
		return nil
	}
	return pages[0]
}

func hasNoSortKey(table any) bool {
	for _, t := range tables() {
		if t.name == table {
			return len(t.keys) == 1
		}
	}
	return false
}

// withoutKeys returns the items in the responses of TransactGetItems without their
// keys. A missing item becomes an empty one.
func withoutKeys(responses any) list {
	stripped := list{}
	l, _ := responses.(list)
	for _, entry := range l {
		item, _ := entry.(object)["Item"].(object)
		rest := object{}
		for name, v := range item {
			if name != "pk" && name != "sk" {
				rest[name] = v
			}
		}
		stripped = append(stripped, rest)
	}
	return stripped
}
