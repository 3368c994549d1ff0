package expr

import (
	"strings"
	"testing"
)

const conditionItem = `{
	"pk": {"S":"key"}, "n": {"N":"5"}, "s": {"S":"abcdef"}, "u": {"S":"a😀é"}, "b": {"B":"AQID"}, "t": {"BOOL":true}, "z": {"NULL":true},
	"l": {"L":[{"N":"5"},{"S":"x"},{"M":{"k":{"S":"abc"}}}]}, "m": {"M":{"x":{"N":"1"},"l":{"L":[{"N":"7"}]}}},
	"ss": {"SS":["b","a"]}, "ns": {"NS":["6","5.0"]}, "bs": {"BS":["AQ=="]}, "five": {"N":"5.0"}, "name": {"S":"abc"},
	"a.b": {"N":"5"}, "mm": {"M":{"a.b":{"S":"abc"}}}
}`

func TestConditionHolds(t *testing.T) {
	item := parseItem(t, conditionItem)
	for src, want := range map[string]bool{
		"n = :n": true, "n = five": true, "n <> :n": false, "n < :n2": true, "n <= :n": true, "n > :n": false, "n >= :n": true,
		"s = :n": false, "s <> :n": true, "s < :n": false, "s > :s": true, "b > :b": true, "l = :l": false, "m = :m": false,
		"ss = :ss": true, "ns = :ns": true, "t = :t": true, "z = :null": true, "z <> :null": false,
		":n = n": true, ":n2 > n": true,
		"gone = :n": false, "gone <> :n": true, "gone < :n": false, "NOT gone < :n": true, "NOT gone = :n": true,
		"n BETWEEN :n AND :n2": true, "n BETWEEN :n2 AND :big": false, ":n BETWEEN n AND :n2": true, "gone BETWEEN :n AND :n2": false,
		"n IN (:n)": true, "n IN (:s, :n2)": false, "n IN (five)": true, "gone IN (:n)": false, "l IN (:n, :l)": false,
		"attribute_exists(n)": true, "attribute_exists(m.x)": true, "attribute_exists(m.y)": false, "attribute_exists(l[2].k)": true,
		"attribute_exists(l[3])": false, "attribute_exists(n.x)": false, "attribute_exists(m[0])": false, "attribute_exists(l.x)": false,
		"attribute_not_exists(gone)": true, "attribute_not_exists(n)": false, "attribute_not_exists(m.l[1])": true,
		"attribute_type(s, :typeS)": true, "attribute_type(l, :typeL)": true, "attribute_type(n, :typeS)": false, "attribute_type(gone, :typeS)": false,
		"begins_with(s, :p)": true, "begins_with(b, :bp)": true, "begins_with(s, :bp)": false, "begins_with(n, :p)": false, "begins_with(s, :e)": true,
		"begins_with(:s, :p)": true,
		"contains(s, :p)":     true, "contains(s, :n)": false, "contains(ss, :p)": false, "contains(ns, :n)": true, "contains(bs, :bp)": true,
		"contains(l, :n)": true, "contains(l, :s)": false, "contains(b, :bp)": true, "contains(m, :n)": false, "contains(gone, :n)": false,
		"size(s) > :n": true, "size(u) = :n2": false, "size(l) < :n": true, "size(m) < :n": true, "size(ss) < :n": true, "size(b) < :n": true,
		"size(n) < :n2": false, "size(gone) < :n": false, "NOT size(gone) < :n": true, "size(s) > size(b)": true, "n > size(l)": true,
		"#name = :s": true, "#d = :n": true, "mm.#d = :s": true, "attribute_exists(a.b)": false,
		"n = :n2 OR s = :s AND t = :t OR t = :t": true, "NOT n = :n OR t = :t": true, "NOT (n = :n OR t = :t)": false,
		"n = :n AND (s = :s OR t = :t)": true, "n = :n2 AND s = :s OR t = :t": true, "n = :n2 AND (s = :s OR t = :t)": false,
		"NOT NOT n = :n": true, "(n) = (:n)": true, "((n) = :n) AND t = :t": true, "(n = :n)": true, "(size(s)) > (:n)": true,
		"n between :n and :n2 and s > :s": true, "not n in (:n)": false, "n\t=\n:n": true, "n=:n": true,
	} {
		c, err := ParseCondition(testScope(t), FilterExpression, src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if got := c.Eval(item); got != want {
			t.Errorf("%s: got %t, want %t", src, got, want)
		}
	}
}

func TestTextSizeCountsUTF16Units(t *testing.T) {
	item := parseItem(t, `{"s":{"S":"a😀é"},"n":{"N":"4"}}`)
	c, err := ParseCondition(testScope(t), FilterExpression, "size(s) = n")
	if err != nil || !c.Eval(item) {
		t.Errorf("size(s) = n: got error %v or false, want true for the text a😀é and 4", err)
	}
}

func TestConditionOnAMissingItem(t *testing.T) {
	for src, want := range map[string]bool{
		"attribute_not_exists(pk)": true, "attribute_exists(pk)": false, "n = :n": false, "n <> :n": true, ":n = :n": true,
	} {
		c, err := ParseCondition(testScope(t), ConditionExpression, src)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Eval(nil); got != want {
			t.Errorf("%s: got %t, want %t", src, got, want)
		}
	}
	if !(Condition{}).Eval(nil) {
		t.Error("Eval of the zero Condition = false, want true")
	}
}

// The messages are DynamoDB's; see the package comment for their sources.
func TestInvalidConditionReturnsDynamoDBsMessage(t *testing.T) {
	const operand = "Incorrect operand type for operator or function; operator or function: "
	const distinct = "The first operand must be distinct from the remaining operands for this operator or function; operator: "
	for src, want := range map[string]string{
		"":                        "The expression can not be empty;",
		"a = ":                    `Syntax error; token: "<EOF>", near: "= "`,
		"a":                       `Syntax error; token: "<EOF>", near: "a"`,
		"a = :n b":                `Syntax error; token: "b", near: ":n b"`,
		"a = :n =":                `Syntax error; token: "=", near: ":n ="`,
		"a-b = :n":                `Syntax error; token: "-", near: "a-b"`,
		"!!!":                     `Syntax error; token: "!", near: "!!"`,
		"a = é":                   `Syntax error; token: "é", near: "= é"`,
		"a.":                      `Syntax error; token: "<EOF>", near: "."`,
		"a[x] = :n":               `Syntax error; token: "x", near: "[x]"`,
		"a = #":                   `Syntax error; token: "#", near: "= #"`,
		"(a = :n":                 `Syntax error; token: "<EOF>", near: ":n"`,
		"(a = :n AND b)":          `Syntax error; token: ")", near: "b)"`,
		"a = :n AND":              `Syntax error; token: "<EOF>", near: "AND"`,
		"a BETWEEN :n OR :n":      `Syntax error; token: "OR", near: ":n OR :n"`,
		"a IN :n":                 `Syntax error; token: ":n", near: "IN :n"`,
		"a = b()":                 `Syntax error; token: ")", near: "()"`,
		"((a = :n))":              "The expression has redundant parentheses;",
		"a = ((:n))":              "The expression has redundant parentheses;",
		"((a)) = :n":              "The expression has redundant parentheses;",
		"((a = :n)) AND b = :n":   "The expression has redundant parentheses;",
		"name = :n":               "Attribute name is a reserved keyword; reserved keyword: name",
		"a.Status = :n":           "Attribute name is a reserved keyword; reserved keyword: Status",
		"set = :n":                "Attribute name is a reserved keyword; reserved keyword: set",
		"a[2147483648] = :n":      "List index is not within the allowable range; index: [2147483648]",
		"foo(a)":                  "Invalid function name; function: foo",
		"Size(a) = :n":            "Invalid function name; function: Size",
		"if_not_exists(a, :n)":    "The function is not allowed in a condition expression; function: if_not_exists",
		"size(a)":                 "The function is not allowed to be used this way in an expression; function: size",
		"contains(a, :n) = :t":    "The function is not allowed to be used this way in an expression; function: contains",
		"a = attribute_exists(b)": "The function is not allowed to be used this way in an expression; function: attribute_exists",
		"attribute_exists(a, b)":  "Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 2",
		"contains(a)":             "Incorrect number of operands for operator or function; operator or function: contains, number of operands: 1",
		"#x = :n":                 "An expression attribute name used in the document path is not defined; attribute name: #x",
		"a = :x":                  "An expression attribute value used in expression is not defined; attribute value: :x",
		"a = a":                   distinct + "=, first operand: [a]",
		"a.b[1] < a.b[1]":         distinct + "<, first operand: [a, b, [1]]",
		"contains(a, a)":          distinct + "contains, first operand: [a]",
		"a IN (:n, a)":            distinct + "IN, first operand: [a]",
		"a < :t":                  operand + "<, operand type: BOOL",
		":ss >= a":                operand + ">=, operand type: SS",
		"a BETWEEN :m AND :m":     operand + "BETWEEN, operand type: M",
		"begins_with(a, :n)":      operand + "begins_with, operand type: N",
		"begins_with(a, size(b))": operand + "begins_with, operand type: N",
		"attribute_type(a, :n)":   operand + "attribute_type, operand type: N",
		"size(:n) = :n":           operand + "size, operand type: N",
		"attribute_type(a, b)":    operand + "attribute_type, operand type: {NS,SS,L,BS,N,M,B,BOOL,NULL,S}",
		"attribute_type(a, :s)":   "Invalid attribute type name found; type: abc, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}",
		"attribute_exists(:n)":    "Operator or function requires a document path; operator or function: attribute_exists",
		"a BETWEEN :n2 AND :n": "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; " +
			"lower bound operand: AttributeValue: {N:10}, upper bound operand: AttributeValue: {N:5}",
		"a BETWEEN :n AND :s": "The BETWEEN operator requires same data type for lower and upper bounds; " +
			"lower bound operand: AttributeValue: {N:5}, upper bound operand: AttributeValue: {S:abc}",
		"a IN (" + strings.Repeat(":n,", 100) + ":n)": "The IN operator is provided with too many operands; number of operands: 101",
		"a" + strings.Repeat(".a", 32) + " = :n":      "The document path has too many nesting levels; nesting levels: 33",
		"a = :n" + strings.Repeat(" AND a=:n", 150):   "The expression contains too many operators; operator count: 301",
		"a = :n " + strings.Repeat(" ", 4090):         "Expression size has exceeded the maximum allowed size; expression size: 4097",
		"foo(name)":                                   "Invalid function name; function: foo",
		"name = :x":                                   "Attribute name is a reserved keyword; reserved keyword: name",
	} {
		_, err := ParseCondition(testScope(t), ConditionExpression, src)
		wantMessage(t, src, err, "Invalid ConditionExpression: "+want)
	}
}

func TestLimitsAreReachable(t *testing.T) {
	for _, src := range []string{
		"a IN (" + strings.Repeat(":n,", 99) + ":n)",
		"a" + strings.Repeat(".a", 31) + " = :n",
		"a = :n" + strings.Repeat(" AND a=:n", 149),
		"a = :n " + strings.Repeat(" ", 4089),
		"a[2147483647] = :n",
	} {
		if _, err := ParseCondition(testScope(t), ConditionExpression, src); err != nil {
			t.Errorf("%.40s: %v", src, err)
		}
	}
}

func TestEvalDoesNotAllocate(t *testing.T) {
	item := parseItem(t, conditionItem)
	c, err := ParseCondition(testScope(t), ConditionExpression, "attribute_exists(pk) AND n = :n AND begins_with(s, :p) AND m.x < :n")
	if err != nil || !c.Eval(item) {
		t.Fatal(err)
	}
	if allocs := testing.AllocsPerRun(100, func() { c.Eval(item) }); allocs > 0 {
		t.Errorf("got %v allocations, want 0", allocs)
	}
}
