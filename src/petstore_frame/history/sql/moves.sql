-- Counts the pets that came, moved between statuses, and went, week by week.
--
-- Reads the views pets and days (see History.coverage). Weeks begin on Monday. The last snapshot of
-- each week is compared with that of the week before, and in the first week with the first snapshot.
-- A move of any week is a row of every week. The bound is exact if both snapshots hold every pet of
-- the store. Otherwise pets that were first seen may have been there before, and pets that were not
-- seen may still be there, so their number is 'about'; of the other moves there may be more.
WITH snapshots AS (
  SELECT
    date,
    covers_all,
    row_number() OVER (ORDER BY date) AS place,
    row_number() OVER (PARTITION BY date_trunc('week', date) ORDER BY date DESC) AS place_in_week
  FROM days
  WHERE problem IS NULL
), ends AS (
  SELECT
    date AS until,
    covers_all AS is_later_complete,
    lag(date) OVER (ORDER BY date) AS since,
    lag(covers_all) OVER (ORDER BY date) AS is_earlier_complete
  FROM snapshots
  WHERE place = 1 OR place_in_week = 1
), weeks AS (
  SELECT * FROM ends WHERE since IS NOT NULL
), earlier AS (
  SELECT weeks.until, pets.id, coalesce(pets.status, 'no status') AS status
  FROM weeks
  JOIN pets ON pets.date = weeks.since
), later AS (
  SELECT weeks.until, pets.id, coalesce(pets.status, 'no status') AS status
  FROM weeks
  JOIN pets ON pets.date = weeks.until
), moved AS (
  SELECT
    coalesce(earlier.until, later.until) AS until,
    earlier.status AS was,
    later.status AS now,
    count(*) AS pets
  FROM earlier
  FULL OUTER JOIN later ON later.until = earlier.until AND later.id = earlier.id
  WHERE earlier.status IS DISTINCT FROM later.status
  GROUP BY coalesce(earlier.until, later.until), earlier.status, later.status
), counted AS (
  SELECT
    moved.*,
    CASE
      WHEN was IS NULL AND is_earlier_complete THEN 'new'
      WHEN was IS NULL THEN 'first seen'
      WHEN now IS NULL AND is_later_complete THEN 'gone'
      WHEN now IS NULL THEN 'not seen'
      ELSE 'changed'
    END AS kind
  FROM moved
  JOIN weeks ON weeks.until = moved.until
), moves AS (
  SELECT DISTINCT kind, was, now FROM counted
)
SELECT
  weeks.since,
  weeks.until,
  moves.kind,
  moves.was,
  moves.now,
  coalesce(counted.pets, 0) AS pets,
  CASE
    WHEN is_earlier_complete AND is_later_complete THEN 'exact'
    WHEN moves.kind IN ('first seen', 'not seen') THEN 'about'
    ELSE 'at_least'
  END AS bound
FROM weeks
CROSS JOIN moves
LEFT JOIN counted
  ON counted.until = weeks.until
  AND counted.kind = moves.kind
  AND counted.was IS NOT DISTINCT FROM moves.was
  AND counted.now IS NOT DISTINCT FROM moves.now
ORDER BY
  weeks.since,
  CASE moves.kind
    WHEN 'new' THEN 1 WHEN 'first seen' THEN 2 WHEN 'changed' THEN 3 WHEN 'gone' THEN 4
    ELSE 5
  END,
  moves.was NULLS LAST,
  moves.now NULLS LAST
