package photojob_test

import (
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/area"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/photojob"
)

func TestUploaded(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 250e6, time.UTC)
	created := timestamppb.New(at.Add(-time.Second))
	for id, job := range map[string]*event.PhotoUploaded{
		"photojob.uploaded/j1/1795175999250/e1":               {JobId: "j1", CreatedAt: created, OwnerId: "ann", Etag: "e1", Route: "stub", UploadedAt: timestamppb.New(at)},
		"photojob.uploaded/j1/1795175999250/e1/1795176000250": {JobId: "j1", CreatedAt: created, OwnerId: "ann", Etag: "e1", Route: "stub", RetriedAt: timestamppb.New(at)},
	} {
		e := photojob.NewUploaded(job)
		if e.ID != id || e.Subject != "assay.photojob.uploaded.stub.j1" || e.Type() != "assay.v1.PhotoUploaded" || !e.Time.Equal(at) {
			t.Errorf("got %s on %s of type %s at %s, want %s of type PhotoUploaded at %s", e.ID, e.Subject, e.Type(), e.Time, id, at)
		}
		if e.Item != "j1" || e.Owner != "ann" || e.Tenant != "ann" {
			t.Errorf("%s: got item %s of %s, tenant %s, want item j1 of ann, tenant ann", id, e.Item, e.Owner, e.Tenant)
		}
	}
}

// TestMovesAreAllowed checks that each program may write the attributes of its moves: ingest those that a client asks
// for, the analyzer the others.
func TestMovesAreAllowed(t *testing.T) {
	described := photojob.Area(photojob.Config{Env: "dev"})
	for _, move := range append(described.Machine.Moves, described.Machine.Updates...) {
		program, name := area.Analyzer, "PhotosMove"
		if move.Explicit {
			program, name = area.Ingest, "PhotosRetryAndCancel"
		}
		statements := described.Storage.Access[program]
		i := slices.IndexFunc(statements, func(s area.Statement) bool { return s.Sid == name })
		allowed, ok := statements[i].Condition["ForAllValues:StringLike"]["dynamodb:Attributes"].([]string)
		for _, attribute := range move.Writes {
			if !ok || !slices.Contains(allowed, attribute) {
				t.Errorf("%s: %s may not write %s, only %v", move.Name, program, attribute, allowed)
			}
		}
	}
}
