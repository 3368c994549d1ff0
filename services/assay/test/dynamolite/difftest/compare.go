package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// difference is a request with different responses. If pages cannot be compared
// one by one, the responses combine all pages.
type difference struct {
	request      request
	ours, theirs response
	// afterRefusal means that dynamolite has rejected an earlier transaction with the request's
	// token.
	afterRefusal bool
}

// String returns the request and the responses. If both responses are successful, it
// returns only the parts that differ.
func (d difference) String() string {
	if d.ours.ok() && d.theirs.ok() {
		ours, theirs := contrast(d.ours.body, d.theirs.body)
		return fmt.Sprintf("request: %s\n   ours: %s\n theirs: %s", d.request, text(ours), text(theirs))
	}
	return fmt.Sprintf("request: %s\n   ours: %s\n theirs: %s", d.request, d.ours, d.theirs)
}

// contrast returns the parts of a and b that differ: members of objects, and elements
// of lists.
func contrast(a, b any) (any, any) {
	switch a := a.(type) {
	case object:
		b, ok := b.(object)
		if !ok {
			break
		}
		onlyA, onlyB := object{}, object{}
		for _, key := range slices.Sorted(maps.Keys(a)) {
			if !reflect.DeepEqual(a[key], b[key]) {
				onlyA[key], onlyB[key] = contrast(a[key], b[key])
			}
		}
		for key := range b {
			if _, ok := a[key]; !ok {
				onlyB[key] = b[key]
			}
		}
		return onlyA, onlyB
	case list:
		b, ok := b.(list)
		if !ok {
			break
		}
		if len(a) == len(b) {
			onlyA, onlyB := list{}, list{}
			for i := range a {
				if !reflect.DeepEqual(a[i], b[i]) {
					elemA, elemB := contrast(a[i], b[i])
					onlyA, onlyB = append(onlyA, elemA), append(onlyB, elemB)
				}
			}
			return onlyA, onlyB
		}
		return without(a, b), without(b, a)
	}
	return a, b
}

// without returns the elements of a that are not in b.
func without(a, b list) list {
	return slices.DeleteFunc(slices.Clone(a), func(elem any) bool {
		return slices.ContainsFunc(b, func(other any) bool { return reflect.DeepEqual(elem, other) })
	})
}

// compare returns the difference between two responses, if there is one. Both
// are normalized first.
func compare(r request, ours, theirs response) (difference, bool) {
	ours, theirs = normalized(ours), normalized(theirs)
	same := ours.status == theirs.status && ours.exception == theirs.exception &&
		ours.message == theirs.message && reflect.DeepEqual(ours.body, theirs.body)
	return difference{request: r, ours: ours, theirs: theirs}, !same
}

// normalized removes differences that DynamoDB does not specify: the order of sets and tags,
// the order of the items of a batch, and a message prefix that only some AWS regions
// use.
func normalized(a response) response {
	a.message = strings.TrimPrefix(a.message, "1 validation error detected: ")
	a.body, _ = normalizedJSON(a.body).(object)
	sortJSON(a.body["Tags"])
	if responses, ok := a.body["Responses"].(object); ok {
		for _, items := range responses {
			sortJSON(items)
		}
	}
	// The reasons of a canceled transaction can have the same prefix. If a reason has no
	// message, its Message is null or missing.
	if reasons, ok := a.body["CancellationReasons"].(list); ok {
		for _, reason := range reasons {
			if r, ok := reason.(object); ok {
				if message, ok := r["Message"].(string); ok {
					r["Message"] = strings.TrimPrefix(message, "1 validation error detected: ")
				} else {
					delete(r, "Message") // null or absent
				}
			}
		}
	}
	return a
}

// normalizedJSON sorts the members of sets.
func normalizedJSON(v any) any {
	switch v := v.(type) {
	case object:
		for key, elem := range v {
			if key == "SS" || key == "NS" || key == "BS" {
				sortJSON(elem)
			} else {
				v[key] = normalizedJSON(elem)
			}
		}
	case list:
		for i := range v {
			v[i] = normalizedJSON(v[i])
		}
	}
	return v
}

// sortJSON sorts a list in place by the JSON text of its elements.
func sortJSON(v any) {
	elems, ok := v.(list)
	if !ok {
		return
	}
	slices.SortFunc(elems, func(a, b any) int { return cmp.Compare(text(a), text(b)) })
}

// text returns v as JSON, with sorted names.
func text(v any) string {
	t, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(t)
}
