package main

import (
	"bytes"
	"errors"
	"log"
	"reflect"
	"strings"
	"testing"
)

func TestAnEngineDoesNotDifferFromItself(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-requests", "1200", "-seed", "3"}, &out); err != nil {
		t.Fatalf("run: got error %v, want none\n%s", err, out.String())
	}
	if !strings.HasPrefix(out.String(), "1200 requests") {
		t.Errorf("got report %s, want it to begin with 1200 requests", out.String())
	}
}

func TestSeedDeterminesTheRequests(t *testing.T) {
	a, b, other := newGenerator(7), newGenerator(7), newGenerator(8)
	same := true
	for range 500 {
		r := a.request().String()
		if r != b.request().String() {
			t.Fatalf("the same seed generated different requests, want equal ones; one of them: %s", r)
		}
		same = same && r == other.request().String()
	}
	if same {
		t.Error("different seeds generated the same requests, want different ones")
	}
}

func TestCompareIgnoresUnspecifiedDifferences(t *testing.T) {
	item := func(members ...any) response {
		return response{status: 200, body: object{"Item": object{"s": object{"SS": list(members)}}}}
	}
	failure := func(exception, message string) response {
		return response{status: 400, exception: exception, message: message, body: object{}}
	}
	for _, tc := range []struct {
		name         string
		ours, theirs response
		different    bool
	}{
		{"order of a set", item("a", "b"), item("b", "a"), false},
		{"members of a set", item("a", "b"), item("a", "c"), true},
		{"prefix of a message", failure("ValidationException", "x"), failure("ValidationException", "1 validation error detected: x"), false},
		{"message", failure("ValidationException", "x"), failure("ValidationException", "y"), true},
		{"exception", failure("ValidationException", "x"), failure("ResourceNotFoundException", "x"), true},
		{"success", item("a"), failure("ValidationException", "x"), true},
	} {
		if _, different := compare(request{operation: "GetItem"}, tc.ours, tc.theirs); different != tc.different {
			t.Errorf("%s: got different = %t, want %t", tc.name, different, tc.different)
		}
	}
}

func TestAnUnlistedDifferenceFailsTheRun(t *testing.T) {
	var out bytes.Buffer
	r := &report{out: log.New(&out, "", 0), show: 1, listed: map[string]int{}, operations: map[string]int{}}
	r.difference(difference{
		request: request{"GetItem", object{"TableName": "t"}},
		ours:    response{status: 200, body: object{"Item": object{"a": 1, "b": 2}}},
		theirs:  response{status: 200, body: object{"Item": object{"a": 1, "b": 3}}},
	})
	if err := r.finish(); !errors.Is(err, errDifferent) {
		t.Errorf("finish: got error %v, want errDifferent", err)
	}
	if !strings.Contains(out.String(), `ours: {"Item":{"b":2}}`) || !strings.Contains(out.String(), `theirs: {"Item":{"b":3}}`) {
		t.Errorf("got report %s, want it to show the difference", out.String())
	}
}

func TestOnlyRecordsOfEmptyChangesMayBeExtra(t *testing.T) {
	change := func(before, after string) any {
		return object{"eventName": "MODIFY", "StreamViewType": "NEW_AND_OLD_IMAGES", "OldImage": before, "NewImage": after}
	}
	removal := any(object{"eventName": "REMOVE", "StreamViewType": "KEYS_ONLY"})
	keysOnly := any(object{"eventName": "MODIFY", "StreamViewType": "KEYS_ONLY"})
	for _, tc := range []struct {
		ours, theirs list
		equal        bool
	}{
		{list{change("a", "b")}, list{change("a", "a"), change("a", "b"), change("b", "b")}, true},
		{list{change("a", "b")}, list{change("a", "b"), change("b", "c")}, false},
		{list{change("a", "b"), change("b", "c")}, list{change("a", "b")}, false},
		{list{removal}, list{keysOnly, removal}, true},
		{nil, list{removal}, false},
	} {
		if equal := reflect.DeepEqual(tc.ours, withoutEmptyChanges(tc.ours, tc.theirs)); equal != tc.equal {
			t.Errorf("%v, %v: got equal = %t, want %t", tc.ours, tc.theirs, equal, tc.equal)
		}
	}
}
