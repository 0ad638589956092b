-- Rooms of a class. A time is in seconds since 1970. A key is kept as its SHA-256 only.
CREATE TABLE IF NOT EXISTS rooms (
    code TEXT PRIMARY KEY,
    key_hash BLOB NOT NULL,
    created REAL NOT NULL,
    used REAL NOT NULL,               -- the last change
    is_closed BOOLEAN NOT NULL DEFAULT 0,
    lets_in BOOLEAN NOT NULL DEFAULT 1, -- whether new students get a place
    wants_names BOOLEAN NOT NULL,
    shows_results BOOLEAN NOT NULL,
    current INTEGER NOT NULL DEFAULT 0,
    shows_scene BOOLEAN NOT NULL DEFAULT 0, -- whether the projector has the scene, not the question
    scene_text TEXT NOT NULL DEFAULT '', -- a student's text that is the scene's sentence there
    version INTEGER NOT NULL DEFAULT 1
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS asks (
    code TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE,
    number INTEGER NOT NULL,
    link TEXT NOT NULL,
    question TEXT NOT NULL DEFAULT '',  -- as JSON, where the link alone does not make it
    asked REAL NOT NULL,
    vote INTEGER NOT NULL DEFAULT 1,
    is_open BOOLEAN NOT NULL DEFAULT 1,
    shown TEXT NOT NULL,
    answer_was_shown BOOLEAN NOT NULL DEFAULT 0, -- in this vote: it is then not opened again
    PRIMARY KEY (code, number)
) WITHOUT ROWID;

-- A teacher's own lesson, given away with the room.
CREATE TABLE IF NOT EXISTS room_lessons (
    code TEXT PRIMARY KEY REFERENCES rooms ON DELETE CASCADE,
    lesson TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS students (
    code TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE,
    student TEXT NOT NULL,            -- a random id of the browser
    number INTEGER NOT NULL,          -- in the order of joining, from 1
    name TEXT NOT NULL DEFAULT '',
    is_let_through BOOLEAN NOT NULL DEFAULT 0,
    joined REAL NOT NULL,
    seen REAL NOT NULL,               -- when its page was last in front, to some seconds
    PRIMARY KEY (code, student)
) WITHOUT ROWID;

-- Whom the teacher has removed: these ids do not join the room again.
CREATE TABLE IF NOT EXISTS removed (
    code TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE,
    student TEXT NOT NULL,
    PRIMARY KEY (code, student)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS answers (
    code TEXT NOT NULL,
    number INTEGER NOT NULL,
    vote INTEGER NOT NULL,
    student TEXT NOT NULL,
    text TEXT NOT NULL,
    first INTEGER NOT NULL,           -- when it was given, as the version that the room got by it,
    latest INTEGER NOT NULL,          -- and when it was changed
    PRIMARY KEY (code, number, vote, student),
    FOREIGN KEY (code, number) REFERENCES asks ON DELETE CASCADE,
    FOREIGN KEY (code, student) REFERENCES students ON DELETE CASCADE
) WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS answers_of_student ON answers (code, student);

-- Free texts that the class may see, as `same_text` writes them: whoever gave an equal one.
CREATE TABLE IF NOT EXISTS texts_let_through (
    code TEXT NOT NULL,
    number INTEGER NOT NULL,
    vote INTEGER NOT NULL,
    means TEXT NOT NULL,
    PRIMARY KEY (code, number, vote, means),
    FOREIGN KEY (code, number) REFERENCES asks ON DELETE CASCADE
) WITHOUT ROWID;

-- Up to which version of the room a teacher has read the free texts of a vote.
CREATE TABLE IF NOT EXISTS texts_read (
    code TEXT NOT NULL,
    number INTEGER NOT NULL,
    vote INTEGER NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (code, number, vote),
    FOREIGN KEY (code, number) REFERENCES asks ON DELETE CASCADE
) WITHOUT ROWID;
