// Package quotas proves that owners cannot exceed their quotas, and that the writes of operators are recorded.
package quotas

import (
	"fmt"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// Scenarios returns the promises that need their own services.
func Scenarios() system.Scenarios {
	return system.Scenarios{"sweeps recount usage": sweepsRecountUsage}
}

// sweepsRecountUsage: a sweep corrects the usage of owners whose items were created or deleted while no quotas were set.
func sweepsRecountUsage(t *testing.T, start system.Starter) {
	c := start(t, system.NoSweep, "ASSAY_QUOTAS=items=10")
	counting, query := c.Service(t, "ingest"), c.Service(t, "query")
	c.Service(t, "analyzer")
	c.Front(t, counting, query)
	owner := system.NewOwner()
	user := c.Client(t, owner)
	kept, gone := system.UploadMultipart(t, user, "kept.txt", "text/plain", []byte("kept")), system.UploadMultipart(t, user, "gone.txt", "text/plain", []byte("to be deleted"))
	deleted := system.UploadMultipart(t, user, "deleted.txt", "text/plain", []byte("deleted"))
	if err := user.Delete(system.Within(t), deleted.FileID); err != nil {
		t.Fatal(err)
	}
	using := func(want client.Use) error {
		me, err := user.Me(system.Within(t))
		if err == nil && (me.Use == nil || *me.Use != want) {
			err = fmt.Errorf("the usage is %+v, want %+v", me.Use, want)
		}
		return err
	}
	if err := using(client.Use{Items: 2, Bytes: int64(len("kept") + len("to be deleted"))}); err != nil {
		t.Fatal(err)
	}

	c.Front(t, c.Service(t, "ingest", "ASSAY_QUOTAS="), query)
	unlimited := c.Client(t, owner)
	added := system.UploadMultipart(t, unlimited, "added.txt", "text/plain", []byte("added"))
	if err := unlimited.Delete(system.Within(t), gone.FileID); err != nil {
		t.Fatal(err)
	}
	if err := using(client.Use{Items: 2, Bytes: int64(len("kept") + len("to be deleted"))}); err != nil {
		t.Fatal(err)
	}
	system.Eventually(t, func() error { // a sweep ignores items younger than a lease
		c.Sweep(t)
		return using(client.Use{Items: 2, Bytes: int64(len("kept") + len("added"))})
	})
	for _, id := range []string{kept.FileID, added.FileID} {
		system.Await(t, user, id)
	}
}
