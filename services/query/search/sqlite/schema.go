package sqlite

// version is the version of the schema, of terms.Words, search.SortKey and what is indexed of files. A file with another
// version is rebuilt.
const version = 8

// schema creates the tables. Times are milliseconds since the Unix epoch.
const schema = `
CREATE TABLE state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;

CREATE TABLE owner (no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);

-- The items. Kind 0 is an item of which only children are known, or that was removed: its version is kept to ignore late events.
-- The parent is null for a root, in the trash, and for items that are in no folder.
CREATE TABLE node (
	no INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE,
	kind INTEGER NOT NULL DEFAULT 0, owner INTEGER NOT NULL DEFAULT 0, parent INTEGER,
	trashed INTEGER NOT NULL DEFAULT 0, shared INTEGER NOT NULL DEFAULT 0,
	version INTEGER NOT NULL DEFAULT 0, run INTEGER NOT NULL DEFAULT 0, textrun INTEGER NOT NULL DEFAULT 0,
	pending INTEGER NOT NULL DEFAULT 0, walk INTEGER NOT NULL DEFAULT 0,
	created INTEGER NOT NULL DEFAULT 0, updated INTEGER NOT NULL DEFAULT 0, size INTEGER NOT NULL DEFAULT 0,
	status TEXT NOT NULL DEFAULT '', format TEXT NOT NULL DEFAULT '', name TEXT NOT NULL DEFAULT '', sortname TEXT NOT NULL DEFAULT ''
);
CREATE INDEX node_pending ON node (no) WHERE pending = 1;
CREATE INDEX child_name ON node (parent, sortname, id) WHERE parent IS NOT NULL;
CREATE INDEX child_size ON node (parent, size, id) WHERE parent IS NOT NULL;
CREATE INDEX child_created ON node (parent, created, id) WHERE parent IS NOT NULL;
CREATE INDEX child_updated ON node (parent, updated, id) WHERE parent IS NOT NULL;
CREATE INDEX owned_name ON node (owner, kind, sortname, id) WHERE kind > 1 AND trashed = 0;
CREATE INDEX owned_size ON node (owner, kind, size, id) WHERE kind > 1 AND trashed = 0;
CREATE INDEX owned_created ON node (owner, kind, created, id) WHERE kind > 1 AND trashed = 0;
CREATE INDEX owned_updated ON node (owner, kind, updated, id) WHERE kind > 1 AND trashed = 0;

-- The principals that a node is shared with: u/<owner>, g/<group>, or * for everyone.
CREATE TABLE share (node INTEGER NOT NULL, principal TEXT NOT NULL, owner INTEGER NOT NULL, PRIMARY KEY (node, principal)) WITHOUT ROWID;
CREATE INDEX share_principal ON share (principal, node);

-- The owners that share nodes with a principal.
CREATE TABLE grantor (principal TEXT NOT NULL, owner INTEGER NOT NULL, nodes INTEGER NOT NULL, PRIMARY KEY (principal, owner)) WITHOUT ROWID;
CREATE TRIGGER share_added AFTER INSERT ON share BEGIN
	INSERT INTO grantor VALUES (NEW.principal, NEW.owner, 1) ON CONFLICT DO UPDATE SET nodes = nodes + 1;
END;
CREATE TRIGGER share_removed AFTER DELETE ON share BEGIN
	UPDATE grantor SET nodes = nodes - 1 WHERE principal = OLD.principal AND owner = OLD.owner;
	DELETE FROM grantor WHERE principal = OLD.principal AND owner = OLD.owner AND nodes = 0;
END;

-- The properties of files, a JSON array, and why their texts are incomplete.
CREATE TABLE about (no INTEGER PRIMARY KEY, properties TEXT NOT NULL, cut TEXT NOT NULL);

-- The hashes of pictures. The numbers of the pictures of one owner are in one range.
CREATE TABLE picture (no INTEGER PRIMARY KEY, hash INTEGER NOT NULL);

-- The texts in blocks, compressed, for snippets, and the places at their beginnings, as JSON, empty without pages. The block with index i of
-- node no has the number 1024 * no + i.
CREATE TABLE body (block INTEGER PRIMARY KEY, text BLOB NOT NULL, place TEXT NOT NULL);

-- The distinct words of each block of a text with several blocks, as in words.
CREATE VIRTUAL TABLE block USING fts5 (text, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'");

-- The words of names, properties and texts, each as <owner>_<word>: a query reads only the postings of libraries of which the
-- caller may see a node, regardless of the size of the others. <owner>_ separates properties. Their words are also there as
-- <owner>__<field>_<word>. terms.Words splits the texts.
-- Rows are deleted by specifying their words, because contentless_delete does not maintain the averages that scores depend on.
CREATE VIRTUAL TABLE words USING fts5 (name, about, text, content = '', tokenize = "ascii tokenchars '_'");

-- The words of each owner that have other forms, sorted, to find typing errors. Words of removed nodes remain.
CREATE TABLE vocabulary (owner INTEGER NOT NULL, word TEXT NOT NULL, PRIMARY KEY (owner, word)) WITHOUT ROWID;

-- The same words by their stems in the languages of the texts that have them, and these languages.
CREATE TABLE stem (owner INTEGER NOT NULL, language TEXT NOT NULL, stem TEXT NOT NULL, word TEXT NOT NULL, PRIMARY KEY (owner, language, stem, word)) WITHOUT ROWID;
CREATE TABLE spoken (owner INTEGER NOT NULL, language TEXT NOT NULL, PRIMARY KEY (owner, language)) WITHOUT ROWID;
`
