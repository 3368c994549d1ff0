package library

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// Scenarios returns the promises that need their own services.
func Scenarios() system.Scenarios {
	return system.Scenarios{"library: a sweep repairs nodes": sweepRepairsNodes, "library: pages are imported": pagesAreImported}
}

// sweepRepairsNodes: a sweep creates the missing node of a file.
func sweepRepairsNodes(t *testing.T, start system.Starter) {
	s := start(t, system.NoSweep)
	s.Front(t, s.Service(t, "ingest"), s.Service(t, "query"))
	s.Service(t, "analyzer")
	c := s.Client(t, system.NewOwner())
	file(t, c, "other.txt", "", "other") // the sweep would stop if no file had a node
	kept := file(t, c, "kept.txt", "", "kept")
	nodes, key := "leanda-ng-dev-nodes", system.Item{"id": &types.AttributeValueMemberS{Value: kept.ID}}
	if _, err := s.Tables().DeleteItem(system.Within(t), &dynamodb.DeleteItemInput{TableName: &nodes, Key: key}); err != nil {
		t.Fatal(err)
	}
	s.Sweep(t)
	n, err := c.Node(system.Within(t), kept.ID, client.Reading{})
	if err != nil || n.Name != "kept.txt" || n.Status != client.LibraryProcessed || content(t, c, kept.ID) != "kept" {
		t.Errorf("got %+v, %v; want the processed file with its content", n, err)
	}
}
