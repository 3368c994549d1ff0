package expr

import (
	"bytes"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
)

func TestKeyConditionSelectsTheKeysItDescribes(t *testing.T) {
	sortKeys := []int64{-10, -5, 0, 4, 5, 6, 9, 10, 11}
	partition := attr.AppendKey(nil, attr.String("abc"))
	for src, want := range map[string][]int64{
		"pk = :s":                               sortKeys,
		"pk = :s AND sk = :n":                   {5},
		"sk = :n AND pk = :s":                   {5},
		"pk = :s AND sk < :n":                   {-10, -5, 0, 4},
		"pk = :s AND sk <= :n":                  {-10, -5, 0, 4, 5},
		"pk = :s AND sk > :n":                   {6, 9, 10, 11},
		"pk = :s AND sk >= :n":                  {5, 6, 9, 10, 11},
		"pk = :s AND :n < sk":                   {6, 9, 10, 11},
		":s = pk AND :n >= sk":                  {-10, -5, 0, 4, 5},
		"(pk = :s AND (sk BETWEEN :n AND :n2))": {5, 6, 9, 10},
	} {
		k, err := ParseKeyCondition(testScope(t), src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		value, sort, err := k.Resolve(KeyAttribute{"pk", attr.S}, KeyAttribute{"sk", attr.N})
		if err != nil || !value.Equal(attr.String("abc")) {
			t.Errorf("%s: got partition key %v, error %v, want abc", src, value, err)
			continue
		}
		first, end := sort.Range(partition)
		var got []int64
		for _, n := range sortKeys {
			// A suffix represents the bytes that an index appends to its keys.
			key := append(attr.AppendKey(bytes.Clone(partition), attr.Num(attr.NumberOf(n))), 0xFF, 0xFF)
			if bytes.Compare(first, key) <= 0 && bytes.Compare(key, end) < 0 {
				got = append(got, n)
			}
		}
		if !equalInts(got, want) {
			t.Errorf("%s: got %v, want %v", src, got, want)
		}
	}
}

func equalInts(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestKeyConditionByPrefix(t *testing.T) {
	k, err := ParseKeyCondition(testScope(t), "pk = :n AND begins_with(sk, :p)")
	if err != nil {
		t.Fatal(err)
	}
	_, sort, err := k.Resolve(KeyAttribute{"pk", attr.N}, KeyAttribute{"sk", attr.S})
	if err != nil {
		t.Fatal(err)
	}
	partition := attr.AppendKey(nil, attr.Num(attr.NumberOf(5)))
	first, end := sort.Range(partition)
	for text, want := range map[string]bool{"a": false, "aa": false, "ab": true, "ab\x00": true, "abz": true, "ac": false, "": false} {
		key := attr.AppendKey(bytes.Clone(partition), attr.String(text))
		if in := bytes.Compare(first, key) <= 0 && bytes.Compare(key, end) < 0; in != want {
			t.Errorf("%q in range: got %t, want %t", text, in, want)
		}
	}
}

func TestInvalidKeyConditionReturnsDynamoDBsMessage(t *testing.T) {
	for src, want := range map[string]string{
		"":                                  "Invalid KeyConditionExpression: The expression can not be empty;",
		"pk = :s AND":                       `Invalid KeyConditionExpression: Syntax error; token: "<EOF>", near: "AND"`,
		"pk = :x":                           "Invalid KeyConditionExpression: An expression attribute value used in expression is not defined; attribute value: :x",
		"pk = :s OR sk = :n":                "Invalid operator used in KeyConditionExpression: OR",
		"NOT pk = :s":                       "Invalid operator used in KeyConditionExpression: NOT",
		"pk IN (:s)":                        "Invalid operator used in KeyConditionExpression: IN",
		"pk <> :s":                          "Invalid operator used in KeyConditionExpression: <>",
		"attribute_exists(pk)":              "Invalid operator used in KeyConditionExpression: attribute_exists",
		"contains(pk, :s)":                  "Invalid operator used in KeyConditionExpression: contains",
		"pk = :s AND sk = size(:s)":         "KeyConditionExpressions cannot contain nested operations",
		"pk = :s AND :n BETWEEN :n AND :n2": "Invalid condition in KeyConditionExpression: BETWEEN operator must have the key attribute as its first operand",
		"pk = :s AND begins_with(:s, sk)":   "Invalid condition in KeyConditionExpression: begins_with operator must have the key attribute as its first operand",
		"pk = sk":                           "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition",
		"pk.x = :s":                         "KeyConditionExpressions cannot have conditions on nested attributes",
		":s = :p":                           "Invalid condition in KeyConditionExpression: No key attribute specified",
		"pk = :s AND pk = :p":               "KeyConditionExpressions must only contain one condition per key",
		"pk = :s AND sk = :n AND x = :n":    "Conditions can be of length 1 or 2 only",
		"sk = :n":                           "Query condition missed key schema element: pk",
		"pk = :s AND x = :n":                "Query condition missed key schema element: sk",
		"pk > :s":                           "Query key condition not supported",
		"pk = :n":                           "One or more parameter values were invalid: Condition parameter type does not match schema type",
		"pk = :s AND sk = :s":               "One or more parameter values were invalid: Condition parameter type does not match schema type",
		"pk = :e":                           "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk",
	} {
		k, err := ParseKeyCondition(testScope(t), src)
		if err == nil {
			_, _, err = k.Resolve(KeyAttribute{"pk", attr.S}, KeyAttribute{"sk", attr.N})
		}
		wantMessage(t, src, err, want)
	}
	k, err := ParseKeyCondition(testScope(t), "pk = :s AND sk = :n")
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = k.Resolve(KeyAttribute{"pk", attr.S}, KeyAttribute{})
	wantMessage(t, "no sort key", err, "Query key condition not supported")
}
