-- Lists the pets that the last snapshot shows available, and since when, longest first.
--
-- Reads the views pets, days and bounds (see History.coverage). A pet is available since the first
-- snapshot of the unbroken run that ends with the last one. It may have been available earlier
-- (is_at_least) unless the snapshot before that run holds every available pet.
WITH snapshots AS (  -- place 1 is the last one
  SELECT
    days.date,
    days.day_number,
    coalesce(bounds.bound, days.bound) AS bound,
    row_number() OVER (ORDER BY days.date DESC) AS place,
    lag(coalesce(bounds.bound, days.bound)) OVER (ORDER BY days.date) AS bound_before
  FROM days
  LEFT JOIN bounds ON bounds.date = days.date AND bounds.status = 'available'
  WHERE days.problem IS NULL
), latest AS (
  SELECT * FROM snapshots WHERE place = 1
), waiting AS (
  SELECT pets.id, pets.name, pets.category_id
  FROM pets
  JOIN latest ON latest.date = pets.date
  WHERE pets.status = 'available'
), appearances AS (
  SELECT
    pets.id,
    snapshots.date,
    snapshots.place,
    row_number() OVER (PARTITION BY pets.id ORDER BY snapshots.date DESC) AS appearance
  FROM pets
  JOIN waiting ON waiting.id = pets.id
  JOIN snapshots ON snapshots.date = pets.date
  WHERE pets.status = 'available'
), runs AS (  -- the places of an unbroken run are 1, 2, 3 and so on, as its appearances are
  SELECT id, min(date) AS available_since
  FROM appearances
  WHERE place = appearance
  GROUP BY id
)
SELECT
  waiting.id,
  waiting.name,
  waiting.category_id,
  runs.available_since,
  latest.day_number - start.day_number AS days_available,
  start.bound_before IS DISTINCT FROM 'exact' AS is_at_least,
  latest.bound
FROM waiting
JOIN runs ON runs.id = waiting.id
JOIN snapshots AS start ON start.date = runs.available_since
CROSS JOIN latest
ORDER BY days_available DESC, waiting.id
