//go:build !noclients

package postgres

// version is the version of the tables, of terms.Words, search.SortKey and what is indexed of files. A schema with another
// version is dropped, and the index is built again.
const version = 2

// tables creates the tables in the schema of an area. Times are milliseconds since the Unix epoch. Texts are compared bytewise.
const tables = `
-- The one row of the state. sequence is null until the index is built. ready means that it has had all items and texts since.
CREATE TABLE state (one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL, sequence bigint, ready boolean NOT NULL DEFAULT false, walk bigint NOT NULL DEFAULT 0);

CREATE TABLE owner (no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE);

-- The items, as in the SQLite engine. long means that the words are in long instead of words.
CREATE TABLE node (
	no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id bytea NOT NULL UNIQUE,
	kind smallint NOT NULL DEFAULT 0, owner bigint NOT NULL DEFAULT 0, parent bigint,
	trashed boolean NOT NULL DEFAULT false, shared boolean NOT NULL DEFAULT false,
	version bigint NOT NULL DEFAULT 0, run bigint NOT NULL DEFAULT 0, textrun bigint NOT NULL DEFAULT 0,
	pending boolean NOT NULL DEFAULT false, long boolean NOT NULL DEFAULT false, walk bigint NOT NULL DEFAULT 0,
	created bigint NOT NULL DEFAULT 0, updated bigint NOT NULL DEFAULT 0, size bigint NOT NULL DEFAULT 0,
	status text COLLATE "C" NOT NULL DEFAULT '', format text COLLATE "C" NOT NULL DEFAULT '',
	name text COLLATE "C" NOT NULL DEFAULT '', sortname text COLLATE "C" NOT NULL DEFAULT ''
);
CREATE INDEX node_pending ON node (no) WHERE pending;
CREATE INDEX child_name ON node (parent, sortname, id) WHERE parent IS NOT NULL;
CREATE INDEX child_size ON node (parent, size, id) WHERE parent IS NOT NULL;
CREATE INDEX child_created ON node (parent, created, id) WHERE parent IS NOT NULL;
CREATE INDEX child_updated ON node (parent, updated, id) WHERE parent IS NOT NULL;
CREATE INDEX owned_name ON node (owner, kind, sortname, id) WHERE kind > 1 AND NOT trashed;
CREATE INDEX owned_size ON node (owner, kind, size, id) WHERE kind > 1 AND NOT trashed;
CREATE INDEX owned_created ON node (owner, kind, created, id) WHERE kind > 1 AND NOT trashed;
CREATE INDEX owned_updated ON node (owner, kind, updated, id) WHERE kind > 1 AND NOT trashed;

-- The principals that a node is shared with, and its owner.
CREATE TABLE share (node bigint NOT NULL, principal text COLLATE "C" NOT NULL, owner bigint NOT NULL, PRIMARY KEY (node, principal));
CREATE INDEX share_principal ON share (principal, owner, node);

-- The properties of files, a JSON array, and why their texts are incomplete.
CREATE TABLE about (no bigint PRIMARY KEY, properties text NOT NULL, cut text NOT NULL);

-- The hashes of pictures.
CREATE TABLE picture (no bigint PRIMARY KEY, owner bigint NOT NULL, hash bigint NOT NULL);
CREATE INDEX picture_owner ON picture (owner, no);

-- The texts in parts, compressed by zstd, for snippets, and the places at their beginnings, as JSON, empty without pages.
CREATE TABLE body (no bigint NOT NULL, part integer NOT NULL, text bytea NOT NULL, place text NOT NULL, PRIMARY KEY (no, part));
ALTER TABLE body ALTER COLUMN text SET STORAGE EXTERNAL;

-- The words of nodes: labels are those of the name and the properties, all also those of the text. Package words states the lexemes.
CREATE TABLE words (no bigint PRIMARY KEY, labels tsvector NOT NULL, all_words tsvector NOT NULL);
CREATE INDEX words_all ON words USING gin (all_words) WITH (fastupdate = on, gin_pending_list_limit = 512);

-- The words of nodes whose text is too long for one row: part 0 has those of the name and the properties, and part i those of part
-- i - 1 of the text, and as many after it as a phrase can have.
CREATE TABLE long (no bigint NOT NULL, part integer NOT NULL, all_words tsvector NOT NULL, PRIMARY KEY (no, part));
CREATE INDEX long_all ON long USING gin (all_words) WITH (fastupdate = on, gin_pending_list_limit = 512);

-- The words of each owner that have other forms, by their stems, and the languages of the texts. Words of removed nodes remain.
CREATE TABLE vocabulary (owner bigint NOT NULL, word text COLLATE "C" NOT NULL, PRIMARY KEY (owner, word));
CREATE TABLE stem (owner bigint NOT NULL, language text COLLATE "C" NOT NULL, stem text COLLATE "C" NOT NULL, word text COLLATE "C" NOT NULL, PRIMARY KEY (owner, language, stem, word));
CREATE TABLE spoken (owner bigint NOT NULL, language text COLLATE "C" NOT NULL, PRIMARY KEY (owner, language));
`
